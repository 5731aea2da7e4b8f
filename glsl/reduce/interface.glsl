// What every reduction kernel shares: constants, buffers, the operators' numbers.
#ifndef WAVELANE_REDUCE_INTERFACE
#define WAVELANE_REDUCE_INTERFACE

#include "include/group_number.glsl"
#include "include/operators.glsl"

layout(constant_id = 0) const uint WORKGROUP_SIZE = 128u;
layout(local_size_x_id = 0, local_size_y = 1, local_size_z = 1) in;

// One of the numbers in include/operators.glsl.
layout(constant_id = 1) const uint OPERATOR = 0u;
// 0: NaN propagates; 1: NaN is left out.
layout(constant_id = 2) const uint IGNORE_NAN = 0u;
// How elements become ordered keys, see key.glsl.
layout(constant_id = 3) const uint KEY_KIND = 0u;
// What becomes of a workgroup's state: one of FINISH_*.
layout(constant_id = 4) const uint FINISH = 0u;
// States that shared memory holds: one an invocation where invocations meet there, one a subgroup where only subgroups do.
layout(constant_id = 5) const uint EXCHANGE_SLOTS = 128u;
// Which invocations share a row: one of ROW_*.
layout(constant_id = 6) const uint ROW_MODE = 0u;
// Invocations that share a row under ROW_LANES; divides the workgroup's size.
layout(constant_id = 7) const uint LANES_PER_ROW = 1u;
// Elements are divided by this power of two before they are squared, and results multiplied: squares of 64-bit integers
// leave f32's range otherwise.
layout(constant_id = 8) const uint SCALE_EXPONENT = 0u;
// 1: how many elements there are along the axis stands in scratch, where the device put it; at most as many as the host planned for.
layout(constant_id = 9) const uint COUNTED = 0u;

// The state is the result: finish it and store it.
const uint FINISH_RESULT = 0u;
// Store the state into scratch; a later dispatch combines.
const uint FINISH_PARTIAL = 1u;
// Store the state into scratch; the workgroup that arrives last combines.
const uint FINISH_LAST_ARRIVAL = 2u;

const uint ROW_WORKGROUP = 0u;
const uint ROW_LANES = 1u;
const uint ROW_SUBGROUP = 2u;

layout(set = 0, binding = 1, std430) writeonly buffer Output { uint output_words[]; };
// Arrival counters first, then the count if there is one, then states.
layout(set = 0, binding = 2, std430) coherent buffer Scratch { uint scratch_words[]; };

// Elements along the whole axis, `most` of them where the host knows.
uint axis_count(uint most, uint word) {
    if (COUNTED != 0u) return min(scratch_words[word], most);
    return most;
}

// How many of them lie in a piece of the axis that begins at `base` and has room for `most`.
uint piece_count(uint axis_count, uint base, uint most) {
    if (COUNTED != 0u) return min(max(axis_count, base) - base, most);
    return most;
}

// How many units of `work` each of `parts` workgroups does, in whole grains; `planned` where the host knew the work.
uint share_of(uint work, uint parts, uint grain, uint planned) {
    if (COUNTED == 0u || parts == 1u) return planned;
    uint share = max((work + parts - 1u) / parts, 1u);
    return ((share - 1u) / grain + 1u) * grain;
}

#endif
