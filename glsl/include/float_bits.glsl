// Floats judged by their bits. isnan() and comparisons may be folded away where a driver assumes that there is no NaN.
#ifndef WAVELANE_FLOAT_BITS
#define WAVELANE_FLOAT_BITS

bool float_is_nan(float x) { return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u; }
bool float_is_finite(float x) { return (floatBitsToUint(x) & 0x7f800000u) != 0x7f800000u; }

// 2 to the power of an exponent from -126 to 127, exactly.
float float_power_of_two(int exponent) { return uintBitsToFloat(uint(127 + exponent) << 23); }

// What 0 / 0 is meant to be: a division by zero itself is undefined in SPIR-V.
const uint FLOAT_NAN = 0x7fc00000u;
const uvec2 DOUBLE_NAN = uvec2(0u, 0x7ff80000u);

// A double as (low word, high word), as unpackDouble2x32 gives it.
bool double_bits_are_nan(uvec2 bits) {
    uint high = bits.y & 0x7fffffffu;
    return high > 0x7ff00000u || (high == 0x7ff00000u && bits.x != 0u);
}

bool double_bits_are_finite(uvec2 bits) { return (bits.y & 0x7ff00000u) != 0x7ff00000u; }

#endif
