// Takes elements by index, from a whole array or along an axis. Each invocation writes one word, or one element of two. An index that
// the axis does not have gives 0. Where the device counts the indices, results of the others are not written, but for what shares a word with one that is:
// that becomes 0.
#version 450
#extension GL_GOOGLE_include_directive : enable
#define COUNT_BINDING 3
#include "include/elementwise/count.glsl"
#include "include/elementwise/element_size.glsl"
#include "include/elementwise/invocation.glsl"

// Bytes of an element as a power of two.
layout(constant_id = 1) const uint SIZE_LOG2 = 2u;
// 1: one line of single elements, so that result i has index i.
layout(constant_id = 2) const uint FLAT = 1u;

layout(set = 0, binding = 0, std430) readonly buffer Input { uint input_words[]; };
layout(set = 0, binding = 1, std430) readonly buffer Indices { uint indices[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Output { uint output_words[]; };

layout(push_constant) uniform PushConstants {
    uint elements;      // results in this dispatch
    uint first;         // results in the dispatches before
    uint count;         // elements along the axis
    uint inner;         // neighbours that share an index
    uint lines;         // indices that each line along the axis is read with
};

// Whether a result is one of the first `count_here` indices of a line along the axis; if so, its bits.
bool taken(uint result, uint count_here, out uvec2 bits) {
    bits = uvec2(0u);
    uint outer = 0u, at = result, neighbour = 0u;
    if (FLAT == 0u) {
        uint whole = (first + result) / inner;
        neighbour = (first + result) % inner;
        outer = whole / lines;
        at = whole % lines;
    }
    if (at >= count_here) return false;
    uint index = indices[at];
    if (index >= count) return true;
    uint element = FLAT != 0u ? index : (outer * count + index) * inner + neighbour;
    if (SIZE_LOG2 == 3u) {
        bits = uvec2(input_words[2u * element], input_words[2u * element + 1u]);
        return true;
    }
    uint per_word = size_elements_per_word(SIZE_LOG2);
    bits.x = size_extract(input_words[element / per_word], element % per_word, SIZE_LOG2);
    return true;
}

void main() {
    uint per_word = size_elements_per_word(SIZE_LOG2);
    // Results behind the last that counts are all at the end where there is one line of single elements, and of each line else.
    uint count_here = FLAT != 0u ? count_of(first, elements) : count_of(0u, lines);
    uint results = FLAT != 0u ? count_here : elements;
    uint number;
    if (!invocation_number(results / per_word + uint(results % per_word != 0u), number)) return;
    uvec2 bits;
    if (SIZE_LOG2 == 3u) {
        if (!taken(number, count_here, bits)) return;
        output_words[2u * number] = bits.x;
        output_words[2u * number + 1u] = bits.y;
        return;
    }
    uint word = 0u;
    bool any = false;
    for (uint k = 0u; k < per_word; ++k) {
        uint result = number * per_word + k;
        if (result >= results || !taken(result, count_here, bits)) continue;
        size_insert(word, k, bits.x, SIZE_LOG2);
        any = true;
    }
    if (any) output_words[number] = word;
}
