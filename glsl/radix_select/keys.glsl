// Keys of a radix select, and the digits by which they are told apart. Before the include stand interface.glsl and width.glsl.
#ifndef WAVELANE_RADIX_SELECT_KEYS
#define WAVELANE_RADIX_SELECT_KEYS

#include "include/ordered.glsl"

#if defined(WIDTH_W8)
const uint KEY_BITS = 8u;
#elif defined(WIDTH_W16)
const uint KEY_BITS = 16u;
#else
const uint KEY_BITS = 32u;
#endif

// A key as a sort has it, with nothing in the bits that elements do not have.
Bits select_key(Bits b) {
    Bits key = ordered_key(b, (options >> OPTION_KIND_SHIFT) & 3u, (options & OPTION_DESCENDING) != 0u);
#if defined(WIDTH_W64)
    return key;
#else
    return key & (0xffffffffu << (32u - KEY_BITS));
#endif
}

// The element that a key stands for, of ascending order: of zeros +0, and one of the NaN.
Bits element_of_key(Bits key) {
    uint kind = (options >> OPTION_KIND_SHIFT) & 3u;
#if defined(WIDTH_W64)
    return key_decode_pair(key, kind);
#else
    return key_decode(key, kind);
#endif
}

// A digit: its lowest bit in its word, its bits moved down, and whether the word is the upper one of two.
struct Digit { uint shift; uint mask; bool upper; };

// The bits of the word above the digit.
uint bits_above(Digit d) { return ~((d.mask << d.shift) | ((1u << d.shift) - 1u)); }

// Whether all digits above this one are those that were found.
bool is_left(Bits key, Bits found, Digit d) {
#if defined(WIDTH_W64)
    if (d.upper) return ((key.y ^ found.y) & bits_above(d)) == 0u;
    return key.y == found.y && ((key.x ^ found.x) & bits_above(d)) == 0u;
#else
    return ((key ^ found) & bits_above(d)) == 0u;
#endif
}

uint value_of(Bits key, Digit d) {
#if defined(WIDTH_W64)
    return ((d.upper ? key.y : key.x) >> d.shift) & d.mask;
#else
    return (key >> d.shift) & d.mask;
#endif
}

Bits with_digit(Bits found, uint value, Digit d) {
#if defined(WIDTH_W64)
    if (d.upper) found.y |= value << d.shift;
    else found.x |= value << d.shift;
    return found;
#else
    return found | (value << d.shift);
#endif
}

// The wide load behind the last that has keys before `end`: where all of 2^32 are bound, a number of a key behind it would not fit.
uint quads_to(uint end) { return end / PER_QUAD + (end % PER_QUAD > 0u ? 1u : 0u); }

// Wide load `quad` of the bound keys. The last one may reach behind them, and is put together from what is there.
uvec4 key_quad(uint quad) {
    if (quad < bound_words / QUAD_WORDS) return input_quad_load(quad);
    uvec4 raw = uvec4(0u);
    for (uint w = 0u; w < QUAD_WORDS; ++w) {
        uint word = quad * QUAD_WORDS + w;
        if (word < bound_words) raw[w] = input_words[word];
    }
    return raw;
}

#endif
