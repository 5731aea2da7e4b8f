// What kernels of a radix sort that count parts share: constants, push constants, where things are.
//
// An array is sorted digit by digit, the least first. For each digit every part of a row counts how many of its keys have each value of the digit; the counts before each part and value become
// places; and each part moves its keys there in their order. Counts are in `table`: for each row and value, those of the row's parts side by side; behind them, for each row, the totals of all values.
#ifndef WAVELANE_SORT_INTERFACE
#define WAVELANE_SORT_INTERFACE

#include "include/group_number.glsl"

#include "sort/constants.glsl"
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
