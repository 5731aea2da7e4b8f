// Copies elements from one type to another. Each invocation takes four.
#version 450
#extension GL_GOOGLE_include_directive : enable
#define COUNT_BINDING 2
#include "include/elementwise/count.glsl"
#include "include/elementwise/invocation.glsl"
#include "include/elementwise/block.glsl"
#include "convert/number.glsl"

// Both types: bytes as a power of two, and one of KIND_*.
layout(constant_id = 1) const uint FROM_SIZE_LOG2 = 2u;
layout(constant_id = 2) const uint FROM_KIND = 0u;
layout(constant_id = 3) const uint TO_SIZE_LOG2 = 2u;
layout(constant_id = 4) const uint TO_KIND = 0u;

layout(set = 0, binding = 0, std430) readonly buffer InputWords { uint input_words[]; };
layout(set = 0, binding = 0, std430) readonly buffer InputPairs { uvec2 input_pairs[]; };
layout(set = 0, binding = 0, std430) readonly buffer InputQuads { uvec4 input_quads[]; };
layout(set = 0, binding = 1, std430) writeonly buffer OutputWords { uint output_words[]; };
layout(set = 0, binding = 1, std430) writeonly buffer OutputPairs { uvec2 output_pairs[]; };
layout(set = 0, binding = 1, std430) writeonly buffer OutputQuads { uvec4 output_quads[]; };

layout(push_constant) uniform PushConstants {
    uint elements;      // elements in this dispatch
    uint first;         // elements in the dispatches before
};

BLOCK_LOADER(input_load, input_words, input_pairs, input_quads)
BLOCK_STORER(output_store, output_words, output_pairs, output_quads)

uvec2 converted(uvec2 bits) {
    // The same type, or integers whose low bits are all that matters.
    bool same = FROM_SIZE_LOG2 == TO_SIZE_LOG2 && FROM_KIND == TO_KIND;
    if (same || (FROM_KIND != KIND_FLOAT && TO_KIND != KIND_FLOAT && TO_SIZE_LOG2 <= FROM_SIZE_LOG2)) return bits;
    if (FROM_KIND != KIND_FLOAT) {
        Number n = number_of_integer(bits, FROM_SIZE_LOG2, FROM_KIND);
        if (TO_KIND == KIND_FLOAT) return rounded(n, TO_SIZE_LOG2);
        return n.negative ? pair_negative(n.magnitude) : n.magnitude;
    }
    Number n = number_of_float(bits, FROM_SIZE_LOG2);
    if (TO_KIND == KIND_FLOAT) return rounded(n, TO_SIZE_LOG2);
    return saturated(n, TO_SIZE_LOG2, TO_KIND);
}

void main() {
    uint count = count_of(first, elements);
    uint block;
    if (!invocation_number(count / BLOCK + uint(count % BLOCK != 0u), block)) return;
    uint here = min(count - block * BLOCK, BLOCK);
    uint loaded[8];
    input_load(block, here, FROM_SIZE_LOG2, loaded);
    uint stored[8];
    for (uint k = 0u; k < 8u; ++k) stored[k] = 0u;
    for (uint k = 0u; k < BLOCK; ++k) {
        if (k < here) block_insert(stored, k, converted(block_element(loaded, k, FROM_SIZE_LOG2)), TO_SIZE_LOG2);
    }
    output_store(block, here, TO_SIZE_LOG2, stored);
}
