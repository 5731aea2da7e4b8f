// A tree in shared memory. Each round combines four slots into one: half the barriers of a binary tree.

// Combines the states of `lanes` invocations, whose slots lie `step` apart; right in lane 0. Every invocation of the
// workgroup calls it, with the same `step` and `lanes`; those that take no part pass a lane from `lanes` on.
State exchange_tree(State s, uint slot, uint lane, uint step, uint lanes) {
    exchange_put(slot, s);
    barrier();
    for (uint width = lanes; width > 1u;) {
        uint quarter = (width + 3u) / 4u;
        if (lane < quarter) {
            for (uint other = lane + quarter; other < width; other += quarter)
                s = state_combine(s, exchange_get(slot + (other - lane) * step));
            // No other invocation reads this slot in this round, so no barrier is needed before it is written.
            exchange_put(slot, s);
        }
        width = quarter;
        if (width > 1u) barrier();
    }
    return s;
}

State exchange_workgroup(State s) {
    uint lane = gl_LocalInvocationIndex;
    return exchange_tree(s, lane, lane, 1u, WORKGROUP_SIZE);
}

bool exchange_leader() { return gl_LocalInvocationIndex == 0u; }
