// Takes elements by index, from a whole array or along an axis. Each invocation writes one word, or one element of two. An index that
// the axis does not have gives 0.
#version 450
#extension GL_GOOGLE_include_directive : enable
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
    uint first;         // results in the dispatches before, where indices are not FLAT
    uint count;         // elements along the axis
    uint inner;         // neighbours that share an index
    uint lines;         // indices that each line along the axis is read with
};

uvec2 taken(uint result) {
    uint outer = 0u, at = result, neighbour = 0u;
    if (FLAT == 0u) {
        uint whole = (first + result) / inner;
        neighbour = (first + result) % inner;
        outer = whole / lines;
        at = whole % lines;
    }
    uint index = indices[at];
    if (index >= count) return uvec2(0u);
    uint element = FLAT != 0u ? index : (outer * count + index) * inner + neighbour;
    if (SIZE_LOG2 == 3u) return uvec2(input_words[2u * element], input_words[2u * element + 1u]);
    uint per_word = size_elements_per_word(SIZE_LOG2);
    return uvec2(size_extract(input_words[element / per_word], element % per_word, SIZE_LOG2), 0u);
}

void main() {
    uint per_word = size_elements_per_word(SIZE_LOG2);
    uint number;
    if (!invocation_number(elements / per_word + uint(elements % per_word != 0u), number)) return;
    if (SIZE_LOG2 == 3u) {
        uvec2 bits = taken(number);
        output_words[2u * number] = bits.x;
        output_words[2u * number + 1u] = bits.y;
        return;
    }
    uint word = 0u;
    for (uint k = 0u; k < per_word; ++k) {
        uint result = number * per_word + k;
        if (result < elements) size_insert(word, k, taken(result).x, SIZE_LOG2);
    }
    output_words[number] = word;
}
