// What the counting of a histogram is told: constants, push constants, buffers.
#ifndef WAVELANE_HISTOGRAM_INTERFACE
#define WAVELANE_HISTOGRAM_INTERFACE

#include "include/group_number.glsl"

layout(constant_id = 0) const uint WORKGROUP_SIZE = 128u;
layout(local_size_x_id = 0, local_size_y = 1, local_size_z = 1) in;

// Words of shared memory.
layout(constant_id = 1) const uint SHARED_WORDS = 1024u;
// How the bin of an element is found: one of FIND_*.
layout(constant_id = 2) const uint FIND = 0u;
// What is added to a bin: one of WEIGHTS_*.
layout(constant_id = 3) const uint WEIGHTS = 0u;
// What elements are, see include/key.glsl.
layout(constant_id = 4) const uint KIND = 0u;
// 1: rows have channels, or gaps behind them.
layout(constant_id = 5) const uint ROWS = 0u;
// 1: workgroups count in shared memory, and add that to the results. 0: in the results.
layout(constant_id = 6) const uint SHARES = 1u;

// Bins are neighbouring keys, 2^shift each.
const uint FIND_SHIFT = 0u;
// The lookup has the bin of each key.
const uint FIND_TABLE = 1u;
// The lookup has the least key of each bin, which are about evenly spaced.
const uint FIND_EVEN = 2u;
// The lookup has the least key of each bin.
const uint FIND_SEARCH = 3u;

// 1.
const uint WEIGHTS_NONE = 0u;
// A word; sums wrap.
const uint WEIGHTS_WORDS = 1u;
// An unsigned integer, a signed one, or a float, in sums that lose nothing (exact.glsl).
const uint WEIGHTS_UNSIGNED = 2u;
const uint WEIGHTS_SIGNED = 3u;
const uint WEIGHTS_FLOAT = 4u;
const bool IS_EXACT = WEIGHTS >= WEIGHTS_UNSIGNED;

// The number of elements stands at the beginning of the lookup.
const uint OPTION_COUNTED = 1u;

layout(set = 0, binding = 1, std430) readonly buffer Lookup { uint lookup_words[]; };
layout(set = 0, binding = 2, std430) buffer Results { uint result_words[]; };
layout(set = 0, binding = 3, std430) readonly buffer Weights { uint weight_words[]; };

layout(push_constant) uniform PushConstants {
    uint elements;       // elements that are bound
    uint first;          // where in the whole array the first of them stands
    uint origin;         // where in the whole array segment 0 begins
    uint segment_first;  // the segment of the first workgroup
    uint segment_pitch;  // elements from one segment to the next
    uint segment_length; // elements of a segment
    uint parts;          // workgroups of a segment
    uint part_length;    // elements of each of them
    uint groups;         // workgroups of this dispatch
    uint row_pitch;      // elements from one row to the next
    uint row_length;     // elements of a row, of all channels
    uint channels;       // interleaved channels
    uint counted_channels; // how many of them are counted
    uint bins;           // bins of a channel
    uint bins_first;     // the first of a segment's bins that are counted
    uint bins_end;       // and the one behind the last
    uint window_first;   // the bin at the beginning of the bound results, of the bins of all segments
    uint window_end;     // and the one behind their end
    uint copies_log2;    // how many times bins stand in shared memory
    uint least_low;      // the least key that is in a bin
    uint least_high;
    uint most_low;       // and the greatest
    uint most_high;
    uint shift;          // of FIND_SHIFT
    uint live;           // bins from the first on that keys can be in
    uint lookup;         // word where the lookup begins
    float low;           // of FIND_EVEN: where bins begin
    float scale;         // and how many there are to 1
    uint options;        // OPTION_*
};

#endif
