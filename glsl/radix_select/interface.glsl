// What the kernels of a radix select share: constants, push constants, where things are.
//
// A line is a row with the place in its order whose key is looked for. Digit by digit, the highest first, the keys of a line whose higher digits are those found so far are counted by the value of
// the digit, and the value is taken whose keys lie at the place. What is found is the whole key at the place: the threshold. Keys before it in the order, and as many of those equal to it as have
// room, are the first ones of the row. Where all keys of a row are arranged around a place, those before the threshold come first, then those equal to it, then the others.
//
// The table has, for so many lines at once: the low words of the keys found, their high words, and the places among the keys that are left; where rows are in parts also the counts of each value
// and, for each part of each row, how many keys come before the threshold, and how many are equal to it.
#ifndef WAVELANE_RADIX_SELECT_INTERFACE
#define WAVELANE_RADIX_SELECT_INTERFACE

#include "include/group_number.glsl"

layout(constant_id = 0) const uint WORKGROUP_SIZE = 128u;
layout(local_size_x_id = 0, local_size_y = 1, local_size_z = 1) in;

// Bits of a digit, at most.
layout(constant_id = 1) const uint DIGIT_BITS = 8u;

// Words of shared memory in which digits are counted: as many as a digit has values, where any are.
layout(constant_id = 2) const uint COUNTER_SLOTS = 256u;

const uint VALUES = 1u << DIGIT_BITS;

// Keys are split at the threshold, not counted by a digit.
const uint OPTION_SPLIT = 1u;
// The largest key comes first.
const uint OPTION_DESCENDING = 2u;
// The digit is of the upper word of 64 bits.
const uint OPTION_UPPER = 4u;
// Which results are wanted: keys, and their positions.
const uint OPTION_KEYS = 8u;
const uint OPTION_POSITIONS = 16u;
// The key at one place of each row is wanted, not all before it.
const uint OPTION_AT = 32u;
// All keys of each row are wanted, arranged around a place.
const uint OPTION_AROUND = 64u;
// What keys are, see include/key.glsl.
const uint OPTION_KIND_SHIFT = 8u;

layout(push_constant) uniform PushConstants {
    uint row_length;      // keys of a row
    uint rows;            // rows that the table is for
    uint lines;           // and its lines: those of all rows for the first place, then for the next
    uint parts;           // parts of a row
    uint part_length;     // keys of a part; the last of a row may have less
    uint first_row;       // the table's first row
    uint first_part;      // the first part of this dispatch, counted from that row on
    uint dispatch_parts;  // parts of this dispatch
    uint first;           // where in the whole array the bound keys begin
    uint bound_words;     // words of the bound keys
    uint shift;           // the digit's lowest bit in its word
    uint digit_mask;      // its bits, moved down
    uint first_results;   // results of a row; or the place whose key is wanted
    uint around;          // the place that keys are arranged around
    uint first_key;       // which result the bound ones begin with, of keys
    uint first_position;  // and of positions
    uint window_first;    // the first result that this dispatch stores
    uint window;          // and how many from there on
    uint rows_each;       // rows of a workgroup, where it has several
    uint all_rows;        // rows that there are
    uint options;         // OPTION_*
};

uint low_at(uint line) { return line; }
uint high_at(uint line) { return lines + line; }
uint place_at(uint line) { return 2u * lines + line; }
uint counts_at(uint line) { return 3u * lines + line * VALUES; }
uint split_at(uint part) { return lines * (VALUES + 3u) + 2u * part; }

#endif
