// Everything meets in shared memory.

State exchange_workgroup(State s) {
    uint lane = gl_LocalInvocationIndex;
    return exchange_tree(s, lane, lane, 1u, WORKGROUP_SIZE);
}

uint exchange_number() { return gl_LocalInvocationIndex; }

State exchange_lanes(State s, uint lane, uint lanes) {
    return exchange_tree(s, gl_LocalInvocationIndex, lane, 1u, lanes);
}

bool exchange_leader() { return gl_LocalInvocationIndex == 0u; }
