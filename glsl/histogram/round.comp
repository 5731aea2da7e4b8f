// Rounds sums that lost nothing (exact.glsl) to the nearest f32, or f64 as two words, ties to even: by integers alone, so no device rounds otherwise.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/elementwise/invocation.glsl"
#include "include/float_bits.glsl"

// 1: results are f64.
layout(constant_id = 1) const uint WIDE = 0u;

// Not used: exact.glsl also takes weights apart.
const uint WEIGHTS_UNSIGNED = 2u;
const uint WEIGHTS_SIGNED = 3u;
const uint WEIGHTS_FLOAT = 4u;
const uint WEIGHTS = WEIGHTS_FLOAT;
#include "histogram/exact.glsl"

layout(set = 0, binding = 0, std430) readonly buffer Sums { uint sum_words[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Output { uint output_words[]; };

layout(push_constant) uniform PushConstants {
    uint bins;      // bins of this dispatch
};

uint words[SUM_WORDS];

// The sum without its sign, which it gives.
bool load_magnitude(uint base) {
    for (uint k = 0u; k < SUM_WORDS; ++k) words[k] = sum_words[base + k];
    bool negative = (words[SUM_WORDS - 1u] & 0x80000000u) != 0u;
    uint carry = 1u;
    for (uint k = 0u; k < SUM_WORDS && negative; ++k) {
        words[k] = ~words[k] + carry;
        if (words[k] != 0u) carry = 0u;
    }
    return negative;
}

// 32 bits of the sum from bit `at` on; those below the lowest are 0.
uint bits_from(int at) {
    if (at <= -32) return 0u;
    if (at < 0) return words[0] << uint(-at);
    uint k = uint(at) >> 5;
    uint bit = uint(at) & 31u;
    uint bits = words[k] >> bit;
    if (bit != 0u && k + 1u < SUM_WORDS) bits |= words[k + 1u] << (32u - bit);
    return bits;
}

// Whether what lies below bit `at` of the sum makes it round up, where that bit is `odd`.
bool rounds_up(int at, bool odd) {
    if (at <= 0) return false;
    uint half_bit = uint(at) - 1u;
    if ((words[half_bit >> 5] >> (half_bit & 31u) & 1u) == 0u) return false;
    uint below = words[half_bit >> 5] & ((1u << (half_bit & 31u)) - 1u);
    for (uint k = 0u; k < half_bit >> 5; ++k) below |= words[k];
    return odd || below != 0u;
}

uvec2 special(uint flags) {
    bool both = flags == (FLAG_INFINITE | FLAG_MINUS_INFINITE);
    if (both || (flags & FLAG_NAN) != 0u) return WIDE != 0u ? DOUBLE_NAN : uvec2(FLOAT_NAN, 0u);
    uint sign = flags == FLAG_MINUS_INFINITE ? 0x80000000u : 0u;
    return WIDE != 0u ? uvec2(0u, sign | 0x7ff00000u) : uvec2(sign | 0x7f800000u, 0u);
}

uvec2 rounded(uint base) {
    uint flags = sum_words[base + SUM_FLAGS];
    if (flags != 0u) return special(flags);
    uint sign = load_magnitude(base) ? 0x80000000u : 0u;
    int top = -1;
    for (uint k = 0u; k < SUM_WORDS; ++k) if (words[k] != 0u) top = int(32u * k) + findMSB(words[k]);
    if (top < 0) return uvec2(0u);
    if (WIDE != 0u) {
        // 53 bits, of which the highest is left out. Every sum is a normal f64.
        int lowest = top - 52;
        uint low = bits_from(lowest);
        uint high = (bits_from(lowest + 32) & 0xfffffu) | (uint(top - int(SUM_ONE) + 1023) << 20);
        if (rounds_up(lowest, (low & 1u) != 0u) && ++low == 0u) ++high;
        return uvec2(low, sign | high);
    }
    // Below 2^-126 the bits are those of a subnormal number.
    if (top < 23) return uvec2(sign | words[0], 0u);
    int lowest = top - 23;
    uint bits = bits_from(lowest) & 0x7fffffu;
    bits |= min(uint(top - 22), 0xffu) << 23;
    // A carry runs into the exponent, which is then right.
    if (rounds_up(lowest, (bits & 1u) != 0u)) ++bits;
    return uvec2(sign | min(bits, 0x7f800000u), 0u);
}

void main() {
    uint bin;
    if (!invocation_number(bins, bin)) return;
    uvec2 result = rounded(bin * SUM_SIZE);
    if (WIDE == 0u) {
        output_words[bin] = result.x;
    } else {
        output_words[2u * bin] = result.x;
        output_words[2u * bin + 1u] = result.y;
    }
}
