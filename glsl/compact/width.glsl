// Elements as bits, so that one source serves all types of a width and none needs a feature of the device:
//   Bits                                      an element in registers; 8 and 16 bits stand in the upper part of a word
//   PER_QUAD                                  elements in one wide load, of 16 bytes, and of 8 where elements are bytes
//   QUAD_WORDS                                words of it
//   uvec4 input_quad_load(uint i)             wide load i of the bound input
//   PER_WORD                                  elements in a word, where there are several
//   WORDS                                     words of an element in shared memory
//   Bits quad_element(uvec4 quad, uint j)
//   Bits input_element(uint i)                element i of the bound input
//   uint bits_compare(Bits a, Bits b, uint kind)     one of COMPARED_*, as the types do it that `kind` stands for
//   bool bits_differ(Bits a, Bits b)
#ifndef WAVELANE_COMPACT_WIDTH
#define WAVELANE_COMPACT_WIDTH

#include "include/key.glsl"

layout(set = 0, binding = 0, std430) readonly buffer InputWords { uint input_words[]; };
#ifdef WIDTH_W8
layout(set = 0, binding = 0, std430) readonly buffer InputPairs { uvec2 input_pairs[]; };
#define QUAD_WORDS 2u
uvec4 input_quad_load(uint i) { return uvec4(input_pairs[i], 0u, 0u); }
#else
layout(set = 0, binding = 0, std430) readonly buffer InputQuads { uvec4 input_quads[]; };
#define QUAD_WORDS 4u
uvec4 input_quad_load(uint i) { return input_quads[i]; }
#endif

const uint COMPARED_LESS = 1u;
const uint COMPARED_EQUAL = 2u;
const uint COMPARED_GREATER = 4u;
// One of them is not a number.
const uint COMPARED_UNORDERED = 8u;

#if defined(WIDTH_W64)

#define Bits uvec2
#define PER_QUAD 2u
#define WORDS 2u

Bits quad_element(uvec4 quad, uint j) { return j == 0u ? quad.xy : quad.zw; }
Bits input_element(uint i) { return uvec2(input_words[2u * i], input_words[2u * i + 1u]); }

bool bits_are_nan(Bits b) {
    uint high = b.y & 0x7fffffffu;
    return high > 0x7ff00000u || (high == 0x7ff00000u && b.x != 0u);
}

// Keys of zeros of either sign are one.
Bits bits_key(Bits b, uint kind) {
    if (kind == KEY_FLOAT && (b.x | (b.y & 0x7fffffffu)) == 0u) b.y = 0u;
    return key_encode_pair(b, kind);
}

bool key_less(Bits a, Bits b) { return a.y < b.y || (a.y == b.y && a.x < b.x); }
bool bits_differ(Bits a, Bits b) { return any(notEqual(a, b)); }

#else

#define Bits uint
#define WORDS 1u

#if defined(WIDTH_W32)
#define PER_QUAD 4u
const uint INFINITE_BITS = 0x7f800000u;
Bits quad_element(uvec4 quad, uint j) { return quad[j]; }
Bits input_element(uint i) { return input_words[i]; }
#elif defined(WIDTH_W16)
#define PER_QUAD 8u
#define PER_WORD 2u
const uint INFINITE_BITS = 0x7c000000u;
Bits part_of(uint word, uint i) { return (i & 1u) == 0u ? word << 16 : word & 0xffff0000u; }
Bits quad_element(uvec4 quad, uint j) { return part_of(quad[j >> 1], j); }
Bits input_element(uint i) { return part_of(input_words[i >> 1], i); }
#elif defined(WIDTH_W8)
#define PER_QUAD 8u
#define PER_WORD 4u
// No byte is a float.
const uint INFINITE_BITS = 0x7fffffffu;
Bits part_of(uint word, uint i) { return word << (24u - 8u * (i & 3u)) & 0xff000000u; }
Bits quad_element(uvec4 quad, uint j) { return part_of(quad[j >> 2], j); }
Bits input_element(uint i) { return part_of(input_words[i >> 2], i); }
#else
#error "define WIDTH_W8, _W16, _W32 or _W64"
#endif

bool bits_are_nan(Bits b) { return (b & 0x7fffffffu) > INFINITE_BITS; }

Bits bits_key(Bits b, uint kind) {
    if (kind == KEY_FLOAT && (b & 0x7fffffffu) == 0u) b = 0u;
    return key_encode(b, kind);
}

bool key_less(Bits a, Bits b) { return a < b; }
bool bits_differ(Bits a, Bits b) { return a != b; }

#endif

uint bits_compare(Bits a, Bits b, uint kind) {
    if (kind == KEY_FLOAT && (bits_are_nan(a) || bits_are_nan(b))) return COMPARED_UNORDERED;
    Bits x = bits_key(a, kind);
    Bits y = bits_key(b, kind);
    if (key_less(x, y)) return COMPARED_LESS;
    return bits_differ(x, y) ? COMPARED_GREATER : COMPARED_EQUAL;
}

#endif
