// Computes an operator of each element of an array, or of each pair of two: operands without gaps, or one element for all. Each invocation takes four.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"
#include "include/elementwise/invocation.glsl"
#include "include/elementwise/block.glsl"
#include "transform/operators.glsl"

// 1: the operand is one element for all.
layout(constant_id = 5) const uint A_IS_ONE = 0u;
layout(constant_id = 6) const uint B_IS_ONE = 0u;

layout(set = 0, binding = 0, std430) readonly buffer AWords { uint a_words[]; };
layout(set = 0, binding = 0, std430) readonly buffer APairs { uvec2 a_pairs[]; };
layout(set = 0, binding = 0, std430) readonly buffer AQuads { uvec4 a_quads[]; };
layout(set = 0, binding = 1, std430) readonly buffer BWords { uint b_words[]; };
layout(set = 0, binding = 1, std430) readonly buffer BPairs { uvec2 b_pairs[]; };
layout(set = 0, binding = 1, std430) readonly buffer BQuads { uvec4 b_quads[]; };
layout(set = 0, binding = 2, std430) writeonly buffer OutputWords { uint output_words[]; };
layout(set = 0, binding = 2, std430) writeonly buffer OutputPairs { uvec2 output_pairs[]; };
layout(set = 0, binding = 2, std430) writeonly buffer OutputQuads { uvec4 output_quads[]; };

layout(push_constant) uniform PushConstants {
    uint elements;      // elements in this dispatch
    uint first;         // elements in the dispatches before
    uint a_one;         // which element the one is, where there is one
    uint b_one;
};

BLOCK_LOADER(a_load, a_words, a_pairs, a_quads)
BLOCK_LOADER(b_load, b_words, b_pairs, b_quads)
BLOCK_STORER(output_store, output_words, output_pairs, output_quads)

// The words of the block that one element is in, and its place there.
#define ONE_LOADER(NAME, WORDS) \
    uvec2 NAME(uint element) { \
        if (SIZE_LOG2 == 3u) return uvec2(WORDS[2u * element], WORDS[2u * element + 1u]); \
        uint per_word = size_elements_per_word(SIZE_LOG2); \
        return uvec2(size_extract(WORDS[element / per_word], element % per_word, SIZE_LOG2), 0u); \
    }
ONE_LOADER(a_load_one, a_words)
ONE_LOADER(b_load_one, b_words)

void main() {
    uint count = count_of(first, elements);
    uint block;
    if (!invocation_number(count / BLOCK + uint(count % BLOCK != 0u), block)) return;
    uint here = min(count - block * BLOCK, BLOCK);
    uint a_block[8], b_block[8];
    uvec2 a = uvec2(0u), b = uvec2(0u);
    if (A_IS_ONE != 0u) a = a_load_one(a_one);
    if (A_IS_ONE == 0u || KEEP_REST != 0u) a_load(block, here, SIZE_LOG2, a_block);
    if (BINARY != 0u) {
        if (B_IS_ONE != 0u) b = b_load_one(b_one);
        else b_load(block, here, SIZE_LOG2, b_block);
    }
    uint stored[8];
    for (uint k = 0u; k < 8u; ++k) stored[k] = 0u;
    for (uint k = 0u; k < BLOCK; ++k) {
        if (k >= here) {
            if (KEEP_REST != 0u) block_insert(stored, k, block_element(a_block, k, SIZE_LOG2), RESULT_SIZE_LOG2);
            continue;
        }
        if (A_IS_ONE == 0u) a = block_element(a_block, k, SIZE_LOG2);
        if (BINARY != 0u && B_IS_ONE == 0u) b = block_element(b_block, k, SIZE_LOG2);
        block_insert(stored, k, apply(a, b), RESULT_SIZE_LOG2);
    }
    output_store(block, here, RESULT_SIZE_LOG2, stored);
}
