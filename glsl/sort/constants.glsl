// Constants that the kernels of a radix sort share, and the stages of a pass.
#ifndef WAVELANE_SORT_CONSTANTS
#define WAVELANE_SORT_CONSTANTS

layout(constant_id = 0) const uint WORKGROUP_SIZE = 128u;
layout(local_size_x_id = 0, local_size_y = 1, local_size_z = 1) in;

// What the dispatch does: one of STAGE_*.
layout(constant_id = 1) const uint STAGE = 0u;
// Bits of a digit.
layout(constant_id = 2) const uint DIGIT_BITS = 8u;
// Words of shared memory in which digits are counted.
layout(constant_id = 3) const uint COUNTER_SLOTS = 2048u;
// Words of a value that moves with its key, 1 or 2; 0 where keys move.
layout(constant_id = 4) const uint VALUE_WORDS = 0u;

const uint VALUES = 1u << DIGIT_BITS;

const uint STAGE_COUNT = 0u;
const uint STAGE_MOVE = 1u;
// Rows are parts: each is counted and moved at once, and there is no table.
const uint STAGE_ROWS = 2u;

#endif
