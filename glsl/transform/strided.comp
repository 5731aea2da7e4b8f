// Computes an operator of each element of an array, or of each pair of two, which lie anyhow: an element of an operand stands where its index along
// each axis times the axis' stride says, from an offset on. Each invocation writes one word, or one element of two.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"
#include "include/elementwise/element_size.glsl"
#include "include/elementwise/invocation.glsl"
#include "transform/operators.glsl"

// Axes that there are, at most 6.
layout(constant_id = 5) const uint RANK = 1u;

layout(set = 0, binding = 0, std430) readonly buffer A { uint a_words[]; };
layout(set = 0, binding = 1, std430) readonly buffer B { uint b_words[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Output { uint output_words[]; };

// Axis 0 is the one that varies fastest. Strides count elements; negative ones wrap.
layout(push_constant) uniform PushConstants {
    uvec4 extents;
    uvec4 a_strides;
    uvec4 b_strides;
    uvec2 extents_4_5;
    uvec2 a_strides_4_5;
    uvec2 b_strides_4_5;
    uint a_offset;
    uint b_offset;
    uint elements;      // results in this dispatch
    uint first;         // results in the dispatches before
};

uint axis_value(uvec4 low, uvec2 high, uint axis) { return axis < 4u ? low[axis] : high[axis - 4u]; }

#define ONE_LOADER(NAME, WORDS) \
    uvec2 NAME(uint element) { \
        if (SIZE_LOG2 == 3u) return uvec2(WORDS[2u * element], WORDS[2u * element + 1u]); \
        uint per_word = size_elements_per_word(SIZE_LOG2); \
        return uvec2(size_extract(WORDS[element / per_word], element % per_word, SIZE_LOG2), 0u); \
    }
ONE_LOADER(a_load, a_words)
ONE_LOADER(b_load, b_words)

uvec2 result_of(uint result) {
    uint rest = first + result;
    uint a_at = a_offset;
    uint b_at = b_offset;
    for (uint axis = 0u; axis < RANK; ++axis) {
        uint at = rest;
        if (axis + 1u < RANK) {
            uint extent = axis_value(extents, extents_4_5, axis);
            at = rest % extent;
            rest /= extent;
        }
        a_at += at * axis_value(a_strides, a_strides_4_5, axis);
        b_at += at * axis_value(b_strides, b_strides_4_5, axis);
    }
    uvec2 b = uvec2(0u);
    if (BINARY != 0u) b = b_load(b_at);
    return apply(a_load(a_at), b);
}

void main() {
    uint per_word = size_elements_per_word(RESULT_SIZE_LOG2);
    uint count = count_of(first, elements);
    uint number;
    if (!invocation_number(count / per_word + uint(count % per_word != 0u), number)) return;
    if (RESULT_SIZE_LOG2 == 3u) {
        uvec2 bits = result_of(number);
        output_words[2u * number] = bits.x;
        output_words[2u * number + 1u] = bits.y;
        return;
    }
    uint word = 0u;
    for (uint k = 0u; k < per_word; ++k) {
        uint result = number * per_word + k;
        if (result < count) size_insert(word, k, result_of(result).x, RESULT_SIZE_LOG2);
        else if (KEEP_REST != 0u) size_insert(word, k, a_load(first + result).x, RESULT_SIZE_LOG2);
    }
    output_words[number] = word;
}
