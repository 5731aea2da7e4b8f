// Scans along an axis that is not the last: element (slab, row, column) lies at (slab * rows + row) * columns + column. An invocation has a
// few rows of a column, so neighbouring invocations read neighbouring columns, and none of them exchanges anything in a workgroup: chunks of rows leave their states in scratch, chunks of
// those theirs, until a column has few enough to be scanned one by one.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"
#include "scan/interface.glsl"
#include "include/element.glsl"
#include "reduce/state.glsl"
#include "scan/result.glsl"

// Each chunk of elements leaves its state in scratch.
const uint STAGE_REDUCE = 0u;
// Each chunk of states does.
const uint STAGE_REDUCE_STATES = 1u;
// Each state becomes what stands before it.
const uint STAGE_SCAN_STATES = 2u;
// Each element becomes its result.
const uint STAGE_SCAN = 3u;

// The count, then states, level after level.
layout(set = 0, binding = 2, std430) buffer Scratch { uint scratch_words[]; };

layout(push_constant) uniform PushConstants {
    uint items;          // chunks times columns in this dispatch
    uint item_base;      // those of earlier dispatches
    uint columns;
    uint rows;           // rows of a slab, of elements or of states
    uint chunk_rows;     // rows of a chunk
    uint chunks;         // chunks of a slab
    uint input_first;    // element at which the bound input begins
    uint output_first;   // result at which the bound output begins
    uint states;         // word where the states of this level's rows begin
    uint above;          // word where the states of this level's chunks begin
    uint above_slots;    // how many of them there are in a slab's column; 0 where there is one chunk, with nothing before it
    uint count_word;     // where in scratch the axis' count is, if the device has it
    uint options;        // OPTION_*
    uint initial_low;    // the initial value
    uint initial_high;
};

// Loads in flight at once in an invocation.
const uint UNROLL = 4u;

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

uint slab, chunk, column, live_rows;

// The row of memory that the scan comes to as its `row`-th.
uint row_in_memory(uint row) { return REVERSE != 0u ? rows - 1u - row : row; }

uint element_at(uint row) { return (slab * rows + row_in_memory(row)) * columns + column; }

bool row_is_live(uint row) { return COUNTED == 0u || row_in_memory(row) < live_rows; }

uint state_at(uint row) { return states + ((slab * rows + row) * columns + column) * uint(STATE_WORDS); }

uint above_at() { return above + ((slab * chunks + chunk) * columns + column) * uint(STATE_WORDS); }

void reduce_elements(uint begin, uint end) {
    Accumulator sum = accumulator_new();
    for (uint row = begin; row < end; row += UNROLL) {
        // All loads of a round first, so that they are under way together; past the end the last row is loaded again, and left out.
        Element e[UNROLL];
        for (uint k = 0u; k < UNROLL; ++k) e[k] = element_load(element_at(min(row + k, end - 1u)) - input_first);
        for (uint k = 0u; k < UNROLL; ++k)
            if (row + k < end && row_is_live(row + k)) accumulator_add(sum, state_from(e[k], 0u, pivot_load(0u)));
    }
    words_store(above_at(), accumulator_state(sum));
}

void reduce_states(uint begin, uint end) {
    Accumulator sum = accumulator_new();
    for (uint row = begin; row < end; ++row) accumulator_add(sum, words_load(state_at(row)));
    words_store(above_at(), accumulator_state(sum));
}

Accumulator before_chunk() {
    Accumulator sum = accumulator_new();
    if (above_slots > 0u) accumulator_add(sum, words_load(above_at()));
    return sum;
}

void scan_states(uint begin, uint end) {
    Accumulator sum = before_chunk();
    for (uint row = begin; row < end; ++row) {
        State own = words_load(state_at(row));
        words_store(state_at(row), accumulator_state(sum));
        accumulator_add(sum, own);
    }
}

void scan_elements(uint begin, uint end) {
    Accumulator sum = before_chunk();
    State initial = state_identity();
    if ((options & OPTION_INITIAL) != 0u) initial = initial_state(initial_low, initial_high);
    for (uint row = begin; row < end; row += UNROLL) {
        Element e[UNROLL];
        for (uint k = 0u; k < UNROLL; ++k) e[k] = element_load(element_at(min(row + k, end - 1u)) - input_first);
        for (uint k = 0u; k < UNROLL; ++k) {
            if (row + k >= end || !row_is_live(row + k)) continue;
            State before = accumulator_state(sum);
            accumulator_add(sum, state_from(e[k], 0u, pivot_load(0u)));
            State s = (options & OPTION_EXCLUSIVE) != 0u ? before : accumulator_state(sum);
            if ((options & OPTION_INITIAL) != 0u) s = state_combine(initial, s);
            uint words[RESULT_WORDS];
            result_words(s, words);
            uint at = (element_at(row + k) - output_first) * uint(RESULT_WORDS);
            for (uint w = 0u; w < uint(RESULT_WORDS); ++w) output_words[at + w] = words[w];
        }
    }
}

void main() {
    uint item = workgroup_number() * WORKGROUP_SIZE + gl_LocalInvocationIndex;
    if (item >= items) return;
    item += item_base;
    column = item % columns;
    slab = item / columns / chunks;
    chunk = item / columns % chunks;
    live_rows = COUNTED != 0u ? min(scratch_words[count_word], rows) : rows;
    uint begin = chunk * chunk_rows;
    uint end = min(begin + chunk_rows, rows);
    if (STAGE == STAGE_REDUCE) reduce_elements(begin, end);
    else if (STAGE == STAGE_REDUCE_STATES) reduce_states(begin, end);
    else if (STAGE == STAGE_SCAN_STATES) scan_states(begin, end);
    else scan_elements(begin, end);
}
