// What a workgroup leaves in scratch for the dispatch that joins segments across workgroups: the carry of all its elements; and, where the segment
// that it begins in began in an earlier workgroup and ends in this one, that segment's number and the state of its elements here.
#ifndef WAVELANE_SEGMENTED_REDUCE_RECORD
#define WAVELANE_SEGMENTED_REDUCE_RECORD

#define SCRATCH_WORDS scratch_words
#include "include/scan/partials.glsl"

const uint RECORD_WORDS = 2u * uint(STATE_WORDS) + 2u;
const uint NO_SEGMENT = 0xffffffffu;

uint record_carry(uint group) { return group * RECORD_WORDS; }
uint record_segment(uint group) { return group * RECORD_WORDS + uint(STATE_WORDS) + 1u; }
uint record_state(uint group) { return group * RECORD_WORDS + uint(STATE_WORDS) + 2u; }

void words_store(uint at, State s) {
    uint words[STATE_WORDS];
    state_pack(s, words);
    for (uint w = 0u; w < uint(STATE_WORDS); ++w) scratch_words[at + w] = words[w];
}

State words_load(uint at) {
    uint words[STATE_WORDS];
    for (uint w = 0u; w < uint(STATE_WORDS); ++w) words[w] = scratch_words[at + w];
    return state_unpack(words);
}

#ifndef RESULT_WORDS_STORED
#define RESULT_WORDS_STORED uint(RESULT_WORDS)
#endif

// Stores what a segment of elements begin..end comes to.
void segment_store(uint segment, State s, uint begin, uint end) {
    uint words[RESULT_WORDS];
    state_finish(s, end - begin, words);
#if defined(STATE_ARG32) || defined(STATE_ARG64)
    // Positions count from the beginning of the segment; that of nothing stays what it is.
    if (words[0] != 0xffffffffu) words[0] -= begin;
#endif
    for (uint w = 0u; w < RESULT_WORDS_STORED; ++w) output_words[segment * RESULT_WORDS_STORED + w] = words[w];
}

#endif
