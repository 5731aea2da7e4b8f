// Lanes combine by subgroup arithmetic, or by a butterfly of shuffles; shared memory only carries one state a subgroup.
// Nothing is assumed of the subgroup size but that it is a power of two and that subgroups are full.

#ifdef PATH_SUBGROUP
State exchange_subgroup(State s) { return state_subgroup(s); }
#else
State exchange_butterfly(State s, uint lanes) {
    for (uint mask = 1u; mask < lanes; mask <<= 1) {
        uint words[STATE_WORDS];
        state_pack(s, words);
        for (int w = 0; w < STATE_WORDS; ++w) words[w] = subgroupShuffleXor(words[w], mask);
        s = state_combine(s, state_unpack(words));
    }
    return s;
}
State exchange_subgroup(State s) { return exchange_butterfly(s, gl_SubgroupSize); }
#endif

// Fewer lanes than a subgroup has. Arithmetic over parts of a subgroup is rare on devices, so it is the tree there. Shuffles
// know lanes by their number in the subgroup, which need not follow gl_LocalInvocationIndex.
uint exchange_number() {
#ifdef PATH_SHUFFLE
    return gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
#else
    return gl_LocalInvocationIndex;
#endif
}

State exchange_lanes(State s, uint lane, uint lanes) {
#ifdef PATH_SHUFFLE
    return exchange_butterfly(s, lanes);
#else
    return exchange_tree(s, gl_LocalInvocationIndex, lane, 1u, lanes);
#endif
}

State exchange_workgroup(State s) {
    s = exchange_subgroup(s);
    if (gl_SubgroupInvocationID == 0u) exchange_put(gl_SubgroupID, s);
    barrier();
    if (gl_SubgroupID == 0u) {
        // All lanes make the same number of rounds, so that the subgroup stays together.
        s = state_identity();
        for (uint first = 0u; first < gl_NumSubgroups; first += gl_SubgroupSize) {
            uint slot = first + gl_SubgroupInvocationID;
            State other = exchange_get(min(slot, gl_NumSubgroups - 1u));
            if (slot < gl_NumSubgroups) s = state_combine(s, other);
        }
        s = exchange_subgroup(s);
    }
    return s;
}

bool exchange_leader() { return gl_SubgroupID == 0u && gl_SubgroupInvocationID == 0u; }
