// What the kernels of a reduction of segments share: constants, buffers, what groups leave for each other.
#ifndef WAVELANE_SEGMENTED_REDUCE_INTERFACE
#define WAVELANE_SEGMENTED_REDUCE_INTERFACE

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
// Elements are divided by this power of two before they are squared, and results multiplied.
layout(constant_id = 4) const uint SCALE_EXPONENT = 0u;
// Words of shared memory that the exchange takes.
layout(constant_id = 5) const uint EXCHANGE_SLOTS = 1024u;
#define EXCHANGE_HEAD_SLOTS EXCHANGE_SLOTS
// 1: how many segments there are stands in scratch, where the device put it; at most as many as the host planned for.
layout(constant_id = 7) const uint COUNTED = 0u;
// 1: segments are of one length, and there are no offsets to read.
layout(constant_id = 8) const uint EVEN = 0u;

layout(set = 0, binding = 1, std430) writeonly buffer Output { uint output_words[]; };
// A record for each workgroup, of RECORD_WORDS, and the count.
layout(set = 0, binding = 2, std430) buffer Scratch { uint scratch_words[]; };
// Where segments begin, and where the last one ends.
layout(set = 0, binding = 3, std430) readonly buffer Offsets { uint offset_words[]; };

// Segments are the only operators' concern: none is known to subgroup arithmetic.
#define HAS_HEADS true
#define CARRY_HAS_ARITHMETIC false

#endif
