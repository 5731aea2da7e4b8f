// A number of any element type as integers alone, so that a conversion means the same on every device, whatever it knows of 64 bits, halves, subnormal
// numbers or NaN: (-1)^negative * magnitude * 2^exponent. A type is its bytes as a power of two and one of KIND_*.
#ifndef WAVELANE_CONVERT_NUMBER
#define WAVELANE_CONVERT_NUMBER

#include "include/pair.glsl"

const uint KIND_UNSIGNED = 0u;
const uint KIND_SIGNED = 1u;
const uint KIND_FLOAT = 2u;

const uint STATE_FINITE = 0u;
const uint STATE_INFINITE = 1u;
const uint STATE_NAN = 2u;

struct Number {
    uint state;
    bool negative;
    uvec2 magnitude;    // low word first
    int exponent;
};

// Bits of the fraction that a float stores, and of the exponent.
uint float_fraction(uint size_log2) { return size_log2 == 1u ? 10u : (size_log2 == 2u ? 23u : 52u); }
uint float_exponent(uint size_log2) { return size_log2 == 1u ? 5u : (size_log2 == 2u ? 8u : 11u); }

Number number_of_float(uvec2 bits, uint size_log2) {
    uint fraction = float_fraction(size_log2);
    uint most = (1u << float_exponent(size_log2)) - 1u;
    uint stored = pair_right(bits, fraction).x & most;
    Number n;
    n.negative = (pair_right(bits, (8u << size_log2) - 1u).x & 1u) != 0u;
    n.magnitude = pair_low(bits, fraction);
    n.state = stored != most ? STATE_FINITE : (pair_is_zero(n.magnitude) ? STATE_INFINITE : STATE_NAN);
    if (stored != 0u) n.magnitude |= pair_left(uvec2(1u, 0u), fraction);
    n.exponent = int(max(stored, 1u)) - int(most / 2u) - int(fraction);
    return n;
}

Number number_of_integer(uvec2 bits, uint size_log2, uint kind) {
    Number n = Number(STATE_FINITE, false, bits, 0);
    if (kind == KIND_SIGNED) {
        // Extended to 64 bits.
        if (size_log2 < 3u) {
            uint unused = 32u - (8u << size_log2);
            int extended = int(bits.x << unused) >> unused;
            n.magnitude = uvec2(uint(extended), uint(extended >> 31));
        }
        n.negative = (n.magnitude.y & 0x80000000u) != 0u;
        if (n.negative) n.magnitude = pair_negative(n.magnitude);
    }
    return n;
}

// An integer that the type holds, or the nearest that it does; towards zero from a fraction; 0 of NaN.
uvec2 saturated(Number n, uint size_log2, uint kind) {
    uint bits = 8u << size_log2;
    if (n.state == STATE_NAN) return uvec2(0u);
    // The greatest magnitudes that there are on either side of 0.
    uvec2 most = pair_low(uvec2(0xffffffffu), kind == KIND_SIGNED ? bits - 1u : bits);
    if (n.negative) most = kind == KIND_SIGNED ? pair_left(uvec2(1u, 0u), bits - 1u) : uvec2(0u);
    uvec2 magnitude = most;
    if (n.state == STATE_FINITE) {
        if (n.exponent < 0) magnitude = pair_right(n.magnitude, uint(min(-n.exponent, 64)));
        else if (int(pair_length(n.magnitude)) + n.exponent <= 64) magnitude = pair_left(n.magnitude, uint(n.exponent));
        if (pair_less(most, magnitude)) magnitude = most;
    }
    return n.negative ? pair_negative(magnitude) : magnitude;
}

// The nearest float, of two as near the even one.
uvec2 rounded(Number n, uint size_log2) {
    int fraction = int(float_fraction(size_log2));
    int most = int((1u << float_exponent(size_log2)) - 1u);
    int bias = most / 2;
    uvec2 sign = n.negative ? pair_left(uvec2(1u, 0u), (8u << size_log2) - 1u) : uvec2(0u);
    uvec2 infinity = pair_left(uvec2(uint(most), 0u), uint(fraction));
    if (n.state == STATE_NAN) return sign | infinity | pair_left(uvec2(1u, 0u), uint(fraction - 1));
    if (n.state == STATE_INFINITE) return sign | infinity;
    if (pair_is_zero(n.magnitude)) return sign;
    // As many low bits go as leave a fraction and the bit above it, or as lie below the least subnormal number.
    int drop = max(int(pair_length(n.magnitude)) - (fraction + 1), 1 - bias - fraction - n.exponent);
    int stored = n.exponent + drop + fraction + bias;
    if (stored >= most) return sign | infinity;
    uvec2 kept = uvec2(0u);
    if (drop <= 0) kept = pair_left(n.magnitude, uint(-drop));
    else if (drop <= 64) {
        kept = pair_right(n.magnitude, uint(drop));
        uvec2 left = pair_low(n.magnitude, uint(drop));
        uvec2 tie = pair_left(uvec2(1u, 0u), uint(drop - 1));
        if (pair_less(tie, left) || (left == tie && (kept.x & 1u) != 0u)) kept = pair_add(kept, uvec2(1u, 0u));
    }
    // The bit above the fraction counts one exponent, and a carry one more.
    return sign | pair_add(kept, pair_left(uvec2(uint(stored - 1), 0u), uint(fraction)));
}

#endif
