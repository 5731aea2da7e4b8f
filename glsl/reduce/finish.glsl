// Where a finished state goes, and how the workgroup that arrives last is found.
#ifndef WAVELANE_REDUCE_FINISH
#define WAVELANE_REDUCE_FINISH

#ifndef RESULT_WORDS_STORED
#define RESULT_WORDS_STORED uint(RESULT_WORDS)
#endif

void result_store(uint result, State s, uint count) {
    uint words[RESULT_WORDS];
    state_finish(s, count, words);
    for (uint w = 0u; w < RESULT_WORDS_STORED; ++w) output_words[result * RESULT_WORDS_STORED + w] = words[w];
}

// `base` is the word where the states begin in scratch.
void partial_store(uint base, uint partial, State s) {
    uint words[STATE_WORDS];
    state_pack(s, words);
    for (uint w = 0u; w < uint(STATE_WORDS); ++w) scratch_words[base + partial * uint(STATE_WORDS) + w] = words[w];
}

State partial_load(uint base, uint partial) {
    uint words[STATE_WORDS];
    for (uint w = 0u; w < uint(STATE_WORDS); ++w) words[w] = scratch_words[base + partial * uint(STATE_WORDS) + w];
    return state_unpack(words);
}

shared bool arrived_last;

// Called by the whole workgroup after it stored its states: whether all others that count on `counter` have stored theirs.
// Each invocation makes its own stores available to the device before the workgroup's arrival is counted; what the last
// one reads afterwards is visible to it. The counter is left at zero, ready for the next dispatch.
bool arrive_last(uint counter, uint arrivals) {
    memoryBarrierBuffer();
    barrier();
    if (gl_LocalInvocationIndex == 0u) {
        arrived_last = atomicAdd(scratch_words[counter], 1u) == arrivals - 1u;
        if (arrived_last) scratch_words[counter] = 0u;
    }
    barrier();
    memoryBarrierBuffer();
    return arrived_last;
}

#endif
