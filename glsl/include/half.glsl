// Half floats from and to f32 by their bits: exact one way, rounded to nearest even the other. packHalf2x16 may round either way and unpackHalf2x16
// may lose subnormal numbers. Gives
//   float half_to_float(uint bits)       bits in the low half of the word
//   uint half_from_float(float x)        NaN stays NaN
#ifndef WAVELANE_HALF
#define WAVELANE_HALF

float half_to_float(uint bits) {
    uint sign = (bits & 0x8000u) << 16;
    uint rest = bits & 0x7fffu;
    // Infinity and NaN take the greatest exponent.
    if (rest >= 0x7c00u) return uintBitsToFloat(sign | 0x7f800000u | ((rest & 0x3ffu) << 13));
    if (rest >= 0x0400u) return uintBitsToFloat(sign | ((rest << 13) + 0x38000000u));
    if (rest == 0u) return uintBitsToFloat(sign);
    // Subnormal: the highest bit becomes the one that f32 leaves out.
    uint top = uint(findMSB(rest));
    return uintBitsToFloat(sign | ((top + 103u) << 23) | ((rest << (23u - top)) & 0x7fffffu));
}

uint half_from_float(float x) {
    uint bits = floatBitsToUint(x);
    uint sign = (bits >> 16) & 0x8000u;
    uint rest = bits & 0x7fffffffu;
    if (rest > 0x7f800000u) return sign | 0x7e00u;
    // From 65520 on the nearest is infinity.
    if (rest >= 0x477ff000u) return sign | 0x7c00u;
    uint mantissa, drop;
    if (rest >= 0x38800000u) {
        mantissa = rest - 0x38000000u;
        drop = 13u;
    } else {
        // Less than half of the least subnormal number is 0.
        if (rest < 0x33000000u) return sign;
        mantissa = (rest & 0x7fffffu) | 0x800000u;
        drop = 126u - (rest >> 23);
    }
    uint kept = mantissa >> drop;
    uint left = mantissa & ((1u << drop) - 1u);
    uint tie = 1u << (drop - 1u);
    // A carry runs into the exponent, which is then right.
    if (left > tie || (left == tie && (kept & 1u) != 0u)) ++kept;
    return sign | kept;
}

#endif
