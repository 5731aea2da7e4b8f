// What the kernels of a radix sort share: constants, push constants, where things are.
//
// An array is sorted digit by digit, the least first. For each digit every part of a row counts how many of its keys have each value of the digit; the counts before each part and value become
// places; and each part moves its keys there in their order. Counts are in `table`: for each row and value, those of the row's parts side by side; behind them, for each row, the totals of all values.
#ifndef WAVELANE_SORT_INTERFACE
#define WAVELANE_SORT_INTERFACE

#include "include/group_number.glsl"

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

#include "sort/options.glsl"

layout(push_constant) uniform PushConstants {
    uint row_length;     // keys of a row
    uint inner;          // how far a row's neighbours are apart
    uint parts;          // parts of a row
    uint part_length;    // keys of a part; the last of a row may have less
    uint first_row;      // the row whose counts are the table's first
    uint first_part;     // the first part of this dispatch, counted from that row on
    uint dispatch_parts; // parts of this dispatch
    uint first;          // where in the whole array the bound keys begin
    uint first_value;    // and the bound values
    uint window_base;    // and the bound output
    uint window_first;   // the first result that goes there
    uint window_end;     // and the one behind the last
    uint shift;          // the digit's lowest bit
    uint digit_mask;     // its bits, moved down
    uint table;          // word where the table begins
    uint totals;         // word where the totals begin
    uint count_word;     // where the count is, if the device has it
    uint options;        // OPTION_*
    uint offsets;        // word where the offsets of segments begin
    uint segments;       // how many segments there are
    uint shortest;       // keys that a segment has more of, so that it is this dispatch's
    uint longest;        // and keys that it has at most, where a workgroup does it alone, or of a part
};

#endif
