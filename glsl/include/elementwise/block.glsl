// Blocks of four neighbouring elements, which an invocation loads and stores as a whole: as many words as an element has bytes. Gives
//   uvec2 block_element(uint words[8], uint at, uint size_log2)                     element `at` of a block
//   void block_insert(inout uint words[8], uint at, uvec2 bits, uint size_log2)     puts one into a block that is 0 there
//   BLOCK_LOADER(name, words, pairs, quads)
//     void name(uint block, uint elements, uint size_log2, out uint words[8])       loads the words of the block that elements are in
//   BLOCK_STORER(name, words, pairs, quads)
//     void name(uint block, uint elements, uint size_log2, uint words[8])           stores them
// where `words`, `pairs` and `quads` are views of one buffer as uint, uvec2 and uvec4, and `elements` is 4, or less for the last block.
#ifndef WAVELANE_ELEMENTWISE_BLOCK
#define WAVELANE_ELEMENTWISE_BLOCK

#include "include/elementwise/element_size.glsl"

const uint BLOCK = 4u;

uvec2 block_element(uint words[8], uint at, uint size_log2) {
    if (size_log2 == 3u) return uvec2(words[2u * at], words[2u * at + 1u]);
    uint per_word = size_elements_per_word(size_log2);
    return uvec2(size_extract(words[at / per_word], at % per_word, size_log2), 0u);
}

void block_insert(inout uint words[8], uint at, uvec2 bits, uint size_log2) {
    if (size_log2 == 3u) {
        words[2u * at] = bits.x;
        words[2u * at + 1u] = bits.y;
        return;
    }
    uint per_word = size_elements_per_word(size_log2);
    size_insert(words[at / per_word], at % per_word, bits.x, size_log2);
}

#define BLOCK_LOADER(NAME, WORDS, PAIRS, QUADS) \
    void NAME(uint block, uint elements, uint size_log2, out uint words[8]) { \
        for (uint k = 0u; k < 8u; ++k) words[k] = 0u; \
        if (elements < BLOCK) { \
            uint last = size_words(elements, size_log2); \
            for (uint k = 0u; k < last; ++k) words[k] = WORDS[(block << size_log2) + k]; \
        } else if (size_log2 == 0u) { \
            words[0] = WORDS[block]; \
        } else if (size_log2 == 1u) { \
            uvec2 pair = PAIRS[block]; \
            words[0] = pair.x; \
            words[1] = pair.y; \
        } else { \
            for (uint q = 0u; q < (1u << size_log2) / 4u; ++q) { \
                uvec4 quad = QUADS[(block << (size_log2 - 2u)) + q]; \
                for (uint k = 0u; k < 4u; ++k) words[4u * q + k] = quad[k]; \
            } \
        } \
    }

#define BLOCK_STORER(NAME, WORDS, PAIRS, QUADS) \
    void NAME(uint block, uint elements, uint size_log2, uint words[8]) { \
        if (elements < BLOCK) { \
            uint last = size_words(elements, size_log2); \
            for (uint k = 0u; k < last; ++k) WORDS[(block << size_log2) + k] = words[k]; \
        } else if (size_log2 == 0u) { \
            WORDS[block] = words[0]; \
        } else if (size_log2 == 1u) { \
            PAIRS[block] = uvec2(words[0], words[1]); \
        } else { \
            for (uint q = 0u; q < (1u << size_log2) / 4u; ++q) \
                QUADS[(block << (size_log2 - 2u)) + q] = uvec4(words[4u * q], words[4u * q + 1u], words[4u * q + 2u], words[4u * q + 3u]); \
        } \
    }

#endif
