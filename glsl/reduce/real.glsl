// The float in which a state computes: f32, or f64 for the states named 64.
#ifndef WAVELANE_REAL
#define WAVELANE_REAL

#ifdef REAL_IS_F64
#define Real double
#define REAL_WORDS 2
#else
#define Real float
#define REAL_WORDS 1
#endif

bool real_is_finite(Real x) {
#ifdef REAL_IS_F64
    return double_bits_are_finite(unpackDouble2x32(x));
#else
    return float_is_finite(x);
#endif
}

// By the bits: drivers turn `x < 0 ? 0 : x` into a maximum, which takes NaN for 0. NaN is not negative, whatever its sign.
bool real_is_negative(Real x) {
#ifdef REAL_IS_F64
    uvec2 bits = unpackDouble2x32(x);
    return (bits.y & 0x80000000u) != 0u && !double_bits_are_nan(bits);
#else
    return (floatBitsToUint(x) & 0x80000000u) != 0u && !float_is_nan(x);
#endif
}

Real real_nan() {
#ifdef REAL_IS_F64
    return packDouble2x32(DOUBLE_NAN);
#else
    return uintBitsToFloat(FLOAT_NAN);
#endif
}

// a / count, and NaN for nothing out of nothing.
Real real_mean(Real a, uint count) {
    return count == 0u ? real_nan() : a / Real(count);
}

// The bits of x as (low, high); the second word is 0 for f32.
uvec2 real_bits(Real x) {
#ifdef REAL_IS_F64
    return unpackDouble2x32(x);
#else
    return uvec2(floatBitsToUint(x), 0u);
#endif
}

Real real_from_bits(uvec2 bits) {
#ifdef REAL_IS_F64
    return packDouble2x32(bits);
#else
    return uintBitsToFloat(bits.x);
#endif
}

#endif
