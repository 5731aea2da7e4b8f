// Where values belong in a sorted array, by binary search: one value for each invocation. Of an array that one binding does not reach across, each dispatch has a piece, and adds how many elements of that come before each value.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"
#include "include/elementwise/invocation.glsl"
#include "compact/width.glsl"
#include "include/ordered.glsl"

layout(set = 0, binding = 1, std430) readonly buffer ValueWords { uint value_words[]; };
layout(set = 0, binding = 2, std430) buffer Positions { uint positions[]; };
// What the device counted, if it did.
layout(set = 0, binding = 3, std430) readonly buffer Counts { uint counts[]; };

// Equal elements come before the value, too.
const uint OPTION_RIGHT = 1u;
// The largest element comes first.
const uint OPTION_DESCENDING = 2u;
// How many elements of each row there are, and how many values, stands in `counts`; at most as many as the host planned for.
const uint OPTION_COUNTED_ARRAY = 4u;
const uint OPTION_COUNTED_VALUES = 8u;
// An earlier dispatch had other elements of the values' rows.
const uint OPTION_ADDS = 16u;
// What elements are, see include/key.glsl.
const uint OPTION_KIND_SHIFT = 8u;

layout(push_constant) uniform PushConstants {
    uint elements;     // values in this dispatch
    uint first;        // values in the dispatches before
    uint row_values;   // values of a row
    uint row_length;   // elements of a row of the array
    uint piece_first;  // the first element of the whole array that is looked at
    uint piece_end;    // and the one behind the last
    uint array_base;   // the element that the bound array begins with
    uint array_count;  // word of the count of elements
    uint value_count;  // and of that of values
    uint options;      // OPTION_*
};

BITS_ELEMENT(value_element, value_words)

void main() {
    uint number;
    if (!invocation_number(elements, number)) return;
    uint row = (first + number) / row_values;
    if ((options & OPTION_COUNTED_VALUES) != 0u && first + number - row * row_values >= counts[value_count]) return;
    uint live = (options & OPTION_COUNTED_ARRAY) != 0u ? min(counts[array_count], row_length) : row_length;
    uint low = clamp(row * row_length, piece_first, piece_end);
    uint high = clamp(row * row_length + live, piece_first, piece_end);
    uint begin = low;
    uint kind = (options >> OPTION_KIND_SHIFT) & 3u;
    bool descending = (options & OPTION_DESCENDING) != 0u;
    Bits key = ordered_key(value_element(number), kind, descending);
    // Each round halves what is left, of fewer than 2^32 elements.
    for (uint round = 0u; round < 32u && low < high; ++round) {
        uint middle = low + (high - low) / 2u;
        Bits other = ordered_key(input_element(middle - array_base), kind, descending);
        bool comes_before = (options & OPTION_RIGHT) != 0u ? !key_less(key, other) : key_less(other, key);
        if (comes_before) low = middle + 1u;
        else high = middle;
    }
    positions[number] = low - begin + ((options & OPTION_ADDS) != 0u ? positions[number] : 0u);
}
