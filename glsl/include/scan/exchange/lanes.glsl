// Each invocation combines the slots that are its own, lanes combine those by subgroup arithmetic or shuffles, and one subgroup what all have
// left in shared memory. Nothing is assumed of the subgroup size but that it is a power of two and that subgroups are full.

// Invocations read a few slots each: a word left out behind every 32 keeps their reads in different banks.
uint lanes_at(uint slot) { return slot + slot / 32u; }

// In whose order invocations own slots. Lanes know each other by their number in the subgroup, which need not follow gl_LocalInvocationIndex.
uint lanes_number() { return gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID; }

// Slots of each invocation; behind all slots one of each invocation, one of each subgroup, and the total.
uint lanes_each;
uint lanes_own_base() { return lanes_each * WORKGROUP_SIZE; }
uint lanes_subgroup_base() { return (lanes_each + 1u) * WORKGROUP_SIZE; }

// What the lanes of the subgroup before this one carry.
Carry lanes_exclusive(Carry c) {
#ifdef PATH_SUBGROUP
    return Carry(state_subgroup_exclusive(c.state), 0u);
#else
    uint lane = gl_SubgroupInvocationID;
    for (uint step = 1u; step < gl_SubgroupSize; step <<= 1) {
        uint words[STATE_WORDS];
        state_pack(c.state, words);
        // Every lane shuffles; those without a lane so far before them pass over what they get.
        uint from = lane >= step ? lane - step : lane;
        for (int w = 0; w < STATE_WORDS; ++w) words[w] = subgroupShuffle(words[w], from);
        uint heads = HAS_HEADS ? subgroupShuffle(c.heads, from) : 0u;
        if (lane >= step) c = carry_combine(Carry(state_unpack(words), heads), c);
    }
    uint words[STATE_WORDS];
    state_pack(c.state, words);
    uint from = max(lane, 1u) - 1u;
    for (int w = 0; w < STATE_WORDS; ++w) words[w] = subgroupShuffle(words[w], from);
    uint heads = HAS_HEADS ? subgroupShuffle(c.heads, from) : 0u;
    if (lane == 0u) return carry_identity();
    return Carry(state_unpack(words), heads);
#endif
}

void lanes_scan(uint slots) {
    lanes_each = (slots + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
    uint number = lanes_number();
    Carry own = carry_identity();
    for (uint k = 0u; k < lanes_each; ++k) {
        uint slot = number * lanes_each + k;
        if (slot < slots) {
            Carry c = exchange_load(lanes_at(slot));
            exchange_store(lanes_at(slot), own);
            own = carry_combine(own, c);
        }
    }
    Carry before = lanes_exclusive(own);
    exchange_store(lanes_at(lanes_own_base() + number), before);
    if (gl_SubgroupInvocationID == gl_SubgroupSize - 1u)
        exchange_store(lanes_at(lanes_subgroup_base() + gl_SubgroupID), carry_combine(before, own));
    barrier();
    if (gl_SubgroupID == 0u) {
        // All lanes make the same number of rounds, so that the subgroup stays together.
        Carry sum = carry_identity();
        for (uint first = 0u; first < gl_NumSubgroups; first += gl_SubgroupSize) {
            uint subgroup = first + gl_SubgroupInvocationID;
            Carry c = carry_identity();
            if (subgroup < gl_NumSubgroups) c = exchange_load(lanes_at(lanes_subgroup_base() + subgroup));
            Carry ahead = carry_combine(sum, lanes_exclusive(c));
            if (subgroup < gl_NumSubgroups) exchange_store(lanes_at(lanes_subgroup_base() + subgroup), ahead);
            // The last lane knows the sum of the round: what the next one begins with, and in the end the total.
            if (gl_SubgroupInvocationID == gl_SubgroupSize - 1u)
                exchange_store(lanes_at(lanes_subgroup_base() + gl_NumSubgroups), carry_combine(ahead, c));
            subgroupBarrier();
            if (first + gl_SubgroupSize < gl_NumSubgroups) sum = exchange_load(lanes_at(lanes_subgroup_base() + gl_NumSubgroups));
            subgroupBarrier();
        }
    }
    barrier();
}

Carry lanes_prefix(uint slot) {
    uint number = slot / lanes_each;
    Carry subgroup = exchange_load(lanes_at(lanes_subgroup_base() + number / gl_SubgroupSize));
    Carry invocation = exchange_load(lanes_at(lanes_own_base() + number));
    return carry_combine(carry_combine(subgroup, invocation), exchange_load(lanes_at(slot)));
}

Carry lanes_total() { return exchange_load(lanes_at(lanes_subgroup_base() + gl_NumSubgroups)); }
