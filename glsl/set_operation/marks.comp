// Marks the elements of a sorted array that are a set operation's results: of equal ones the first, if it is, or is not, in another sorted array. Of one that a binding does not reach across each dispatch has a piece.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"
#include "include/elementwise/invocation.glsl"
#include "compact/width.glsl"
#include "include/ordered.glsl"

layout(set = 0, binding = 1, std430) readonly buffer OtherWords { uint other_words[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Marks { uint marks[]; };
// What the device counted, if it did.
layout(set = 0, binding = 3, std430) readonly buffer Counts { uint counts[]; };

// Results are elements that are in the other array; without, those that are not.
const uint OPTION_COMMON = 1u;
// An earlier dispatch has marked what another piece says, and this one changes what it finds.
const uint OPTION_GOES_ON = 2u;
// NaN are results one by one.
const uint OPTION_EACH_NAN = 4u;
// How many elements of each part there are stands in `counts`, and how many of the other array.
const uint OPTION_COUNTED_FIRST = 8u;
const uint OPTION_COUNTED_SECOND = 16u;
const uint OPTION_COUNTED_OTHER = 32u;
// What elements are, see include/key.glsl.
const uint OPTION_KIND_SHIFT = 8u;

layout(push_constant) uniform PushConstants {
    uint elements;       // elements in this dispatch
    uint first;          // elements in the dispatches before
    uint element_base;   // the element that the bound array begins with
    uint first_most;     // elements of the array, at most; of two parts that were merged, of the first
    uint second_most;    // and of the second
    uint first_count;    // words of their counts
    uint second_count;
    uint other_length;   // elements of the other array, at most
    uint other_count;    // word of its count
    uint piece_first;    // the first of these elements that is looked at
    uint piece_end;      // and the one behind the last
    uint piece_base;     // the one that is bound first
    uint options;        // OPTION_*
};

BITS_ELEMENT(other_element, other_words)

uint live(uint option, uint word, uint most) { return (options & option) != 0u ? min(counts[word], most) : most; }

bool is_found(Bits key) {
    uint low = piece_first;
    uint end = min(piece_end, max(live(OPTION_COUNTED_OTHER, other_count, other_length), piece_first));
    uint high = end;
    uint kind = (options >> OPTION_KIND_SHIFT) & 3u;
    for (uint round = 0u; round < 32u && low < high; ++round) {
        uint middle = low + (high - low) / 2u;
        if (key_less(ordered_key(other_element(middle - piece_base), kind, false), key)) low = middle + 1u;
        else high = middle;
    }
    return low < end && !bits_differ(ordered_key(other_element(low - piece_base), kind, false), key);
}

void main() {
    uint at;
    if (!invocation_number(elements, at)) return;
    uint number = first + at;
    if (number >= live(OPTION_COUNTED_FIRST, first_count, first_most) + live(OPTION_COUNTED_SECOND, second_count, second_most)) {
        marks[at] = 0u;
        return;
    }
    uint kind = (options >> OPTION_KIND_SHIFT) & 3u;
    Bits element = input_element(number - element_base);
    Bits key = ordered_key(element, kind, false);
    bool is_nan = kind == KEY_FLOAT && bits_are_nan(element);
    bool is_result = true;
    if (number > 0u && !(is_nan && (options & OPTION_EACH_NAN) != 0u))
        is_result = bits_differ(ordered_key(input_element(number - 1u - element_base), kind, false), key);
    // No NaN equals another.
    bool found = is_result && !is_nan && is_found(key);
    bool wanted = (options & OPTION_COMMON) != 0u;
    if ((options & OPTION_GOES_ON) == 0u) marks[at] = is_result && found == wanted ? 1u : 0u;
    else if (found) marks[at] = wanted ? 1u : 0u;
}
