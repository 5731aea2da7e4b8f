// Merges two sorted arrays along their merge path: an invocation has neighbouring results, finds by binary search how many of those before its first one come from either array, and goes on from there.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"
#include "include/elementwise/invocation.glsl"
#include "compact/width.glsl"
#include "include/ordered.glsl"
#include "merge/interface.glsl"

// Results of an invocation: a multiple of 4, so that none shares a word with another.
layout(constant_id = 1) const uint RESULTS_EACH = 16u;

layout(set = 0, binding = 1, std430) readonly buffer SecondWords { uint second_words[]; };
layout(set = 0, binding = 2, std430) writeonly buffer OutputWords { uint output_words[]; };
// What the device counted, if it did: elements of the first array, and of the second.
layout(set = 0, binding = 3, std430) readonly buffer Counts { uint counts[]; };

layout(push_constant) uniform PushConstants {
    uint first_length;   // elements of the first array
    uint second_length;  // and of the second
    uint parts;          // invocations of this dispatch
    uint parts_before;   // and of the dispatches before
    uint options;        // OPTION_*
};

BITS_ELEMENT(second_element, second_words)

Bits key_of(Bits b) { return ordered_key(b, (options >> OPTION_KIND_SHIFT) & 3u, (options & OPTION_DESCENDING) != 0u); }

void main() {
    uint number;
    if (!invocation_number(parts, number)) return;
    uint n = (options & OPTION_COUNTED_FIRST) != 0u ? min(counts[0], first_length) : first_length;
    uint m = (options & OPTION_COUNTED_SECOND) != 0u ? min(counts[1], second_length) : second_length;
    uint place = (parts_before + number) * RESULTS_EACH;
    if (place >= n + m) return;
    uint count = min(RESULTS_EACH, n + m - place);

    // How many of the results before come from the first array. One of its elements is among them if it comes before, or with, the element of the second array that would be in its stead.
    uint i = place > m ? place - m : 0u;
    uint high = min(place, n);
    for (uint round = 0u; round < 32u && i < high; ++round) {
        uint middle = i + (high - i) / 2u;
        if (key_less(key_of(second_element(place - 1u - middle)), key_of(input_element(middle)))) high = middle;
        else i = middle + 1u;
    }
    uint j = place - i;

    bool numbers = (options & OPTION_NUMBERS) != 0u;
    uint second_number = (options & OPTION_PLANNED_NUMBERS) != 0u ? first_length : n;
    Bits a = Bits(0u), b = Bits(0u);
    if (i < n) a = input_element(i);
    if (j < m) b = second_element(j);
    uint word = 0u;
    for (uint k = 0u; k < count; ++k) {
        bool takes_first = j >= m || (i < n && !key_less(key_of(b), key_of(a)));
        if (numbers) {
            output_words[place + k] = takes_first ? i : second_number + j;
        } else {
            Bits taken = takes_first ? a : b;
#if defined(PER_WORD)
            const uint BITS = 32u / PER_WORD;
            word |= taken >> (32u - BITS) << (BITS * (k % PER_WORD));
            if (k % PER_WORD == PER_WORD - 1u || k + 1u == count) {
                output_words[(place + k) / PER_WORD] = word;
                word = 0u;
            }
#elif defined(WIDTH_W64)
            output_words[2u * (place + k)] = taken.x;
            output_words[2u * (place + k) + 1u] = taken.y;
#else
            output_words[place + k] = taken;
#endif
        }
        if (takes_first) {
            ++i;
            if (i < n) a = input_element(i);
        } else {
            ++j;
            if (j < m) b = second_element(j);
        }
    }
}
