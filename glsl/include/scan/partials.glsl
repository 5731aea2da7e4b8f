// Carries in scratch, from one workgroup or dispatch to others. Before the include stands
//   SCRATCH_WORDS                             the array of a storage buffer, such as scratch_words
#ifndef WAVELANE_SCAN_PARTIALS
#define WAVELANE_SCAN_PARTIALS

void carry_store(uint at, Carry c) {
    uint words[STATE_WORDS];
    state_pack(c.state, words);
    for (uint w = 0u; w < uint(STATE_WORDS); ++w) SCRATCH_WORDS[at + w] = words[w];
    if (HAS_HEADS) SCRATCH_WORDS[at + uint(STATE_WORDS)] = c.heads;
}

Carry carry_load(uint at) {
    uint words[STATE_WORDS];
    for (uint w = 0u; w < uint(STATE_WORDS); ++w) words[w] = SCRATCH_WORDS[at + w];
    return Carry(state_unpack(words), HAS_HEADS ? SCRATCH_WORDS[at + uint(STATE_WORDS)] : 0u);
}

// This invocation's share of the first `count` carries that begin at word `base`: the shares of all, in their order, are all of them.
Carry carry_share(uint base, uint count) {
    uint lane = gl_LocalInvocationIndex;
    uint share = (count + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
    Carry sum = carry_identity();
    uint end = min((lane + 1u) * share, count);
    for (uint i = lane * share; i < end; ++i) sum = carry_combine(sum, carry_load(base + i * carry_words()));
    return sum;
}

#endif
