// Each invocation sets its bit in shared memory, and counts the bits before it.
const uint APPEND_WORDS = (WORKGROUP_SIZE + 31u) / 32u;
shared uint append_bits[APPEND_WORDS];

bool append_leader() { return gl_LocalInvocationIndex == 0u; }

// How many invocations before this one take a slot, and how many in all.
uint append_rank(bool takes, out uint total) {
    uint lane = gl_LocalInvocationIndex;
    if (lane < APPEND_WORDS) append_bits[lane] = 0u;
    barrier();
    uint word = lane / 32u;
    uint bit = lane % 32u;
    if (takes) atomicOr(append_bits[word], 1u << bit);
    barrier();
    uint rank = 0u;
    total = 0u;
    for (uint w = 0u; w < APPEND_WORDS; ++w) {
        uint bits = append_bits[w];
        total += uint(bitCount(bits));
        if (w < word) rank += uint(bitCount(bits));
        if (w == word) rank += uint(bitCount(bits & ((1u << bit) - 1u)));
    }
    return rank;
}
