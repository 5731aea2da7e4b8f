// What the kernels of a scan share: constants, buffers, the numbers of stages and of segments.
#ifndef WAVELANE_SCAN_INTERFACE
#define WAVELANE_SCAN_INTERFACE

#include "include/group_number.glsl"
#include "include/operators.glsl"

layout(constant_id = 0) const uint WORKGROUP_SIZE = 128u;
layout(local_size_x_id = 0, local_size_y = 1, local_size_z = 1) in;

// One of the numbers in include/operators.glsl.
layout(constant_id = 1) const uint OPERATOR = 0u;
// How elements become ordered keys, see key.glsl.
layout(constant_id = 2) const uint KEY_KIND = 0u;
// What the dispatch does: one of STAGE_*.
layout(constant_id = 3) const uint STAGE = 0u;
// Where segments begin: one of HEADS_*.
layout(constant_id = 4) const uint HEADS = 0u;
// 1: from the end of the axis to its beginning.
layout(constant_id = 5) const uint REVERSE = 0u;
// 1: how many elements there are along the axis stands in scratch, where the device put it; at most as many as the host planned for.
layout(constant_id = 6) const uint COUNTED = 0u;

// Bits of the push constant `options`, which need no pipeline of their own.
// A result leaves its own element out.
const uint OPTION_EXCLUSIVE = 1u;
// An initial value comes before the first element of each segment.
const uint OPTION_INITIAL = 2u;

// States know what NaN does, and by what squares are scaled: not a scan's business.
const uint IGNORE_NAN = 0u;
const uint SCALE_EXPONENT = 0u;

const uint HEADS_NONE = 0u;
// Rows of `row_length` elements.
const uint HEADS_ROWS = 1u;
// A word for each element, not zero where a segment begins.
const uint HEADS_FLAGS = 2u;
// A bit for each element.
const uint HEADS_BITS = 3u;
// Keys of one, two, half or a quarter of a word, of which each first of equal ones begins a segment.
const uint HEADS_KEYS_32 = 4u;
const uint HEADS_KEYS_64 = 5u;
const uint HEADS_KEYS_16 = 6u;
const uint HEADS_KEYS_8 = 7u;
// Segments of `segment_length` elements.
const uint HEADS_LENGTH = 8u;
#define HAS_HEADS (HEADS != HEADS_NONE)

layout(set = 0, binding = 1, std430) writeonly buffer OutputWords { uint output_words[]; };
layout(set = 0, binding = 1, std430) writeonly buffer OutputQuads { uvec4 output_quads[]; };

#endif
