// Keys of a radix sort as digits. Before the include stand width.glsl and `options`.
#ifndef WAVELANE_SORT_KEYS
#define WAVELANE_SORT_KEYS

#include "include/ordered.glsl"
#include "sort/options.glsl"

// A key as bits whose order as unsigned numbers is that of the sort.
Bits sort_key(Bits b) { return ordered_key(b, (options >> OPTION_KIND_SHIFT) & 3u, (options & OPTION_DESCENDING) != 0u); }

// Some bits of such a key.
uint key_digit(Bits key, uint shift, uint digit_mask) {
#if defined(WIDTH_W64)
    // A digit may have bits of both words.
    uint low = shift < 32u ? key.x >> shift : 0u;
    uint high = 0u;
    if (shift >= 32u) high = key.y >> (shift - 32u);
    else if (shift > 0u) high = key.y << (32u - shift);
    return (low | high) & digit_mask;
#else
    return (key >> shift) & digit_mask;
#endif
}

#endif
