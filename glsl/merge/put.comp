// Puts elements of one of two sorted arrays, or values that belong to them, where they go in the merged one, which is known by how many of the other array's come before each.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"
#include "include/elementwise/invocation.glsl"
#include "compact/width.glsl"
#include "merge/interface.glsl"

// For each element how many of the other array come before it.
layout(set = 0, binding = 1, std430) readonly buffer Ranks { uint ranks[]; };
layout(set = 0, binding = 2, std430) buffer OutputWords { uint output_words[]; };
// What the device counted, if it did: elements of the first array, and of the second.
layout(set = 0, binding = 3, std430) readonly buffer Counts { uint counts[]; };

layout(push_constant) uniform PushConstants {
    uint elements;       // elements in this dispatch
    uint first;          // elements in the dispatches before
    uint first_length;   // elements of the first array
    uint window_base;    // the result that the bound output begins with
    uint window_first;   // the first one that goes there
    uint window_end;     // and the one behind the last
    uint options;        // OPTION_*
};

void main() {
    uint at;
    if (!invocation_number(elements, at)) return;
    uint number = first + at;
    bool is_second = (options & OPTION_SECOND) != 0u;
    bool is_counted = (options & (is_second ? OPTION_COUNTED_SECOND : OPTION_COUNTED_FIRST)) != 0u;
    if (is_counted && number >= counts[is_second ? 1u : 0u]) return;
    uint place = number + ranks[at];
    if (place < window_first || place >= window_end) return;
    uint to = place - window_base;
    if ((options & OPTION_NUMBERS) != 0u) {
        uint before = (options & OPTION_COUNTED_FIRST) != 0u ? min(counts[0], first_length) : first_length;
        output_words[to] = is_second ? before + number : number;
        return;
    }
    Bits taken = input_element(at);
#if defined(PER_WORD)
    // The output was cleared, and others may be writing the rest of the word.
    const uint BITS = 32u / PER_WORD;
    atomicOr(output_words[to / PER_WORD], taken >> (32u - BITS) << (BITS * (to % PER_WORD)));
#elif defined(WIDTH_W64)
    output_words[2u * to] = taken.x;
    output_words[2u * to + 1u] = taken.y;
#else
    output_words[to] = taken;
#endif
}
