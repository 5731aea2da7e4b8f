// Floats of 64 bits, as those of 32.
#include "include/float_bits.glsl"
#include "include/key.glsl"
#include "transform/number/double_math.glsl"

const uvec2 SIGN = uvec2(0u, 0x80000000u);
const uvec2 INFINITY = uvec2(0u, 0x7ff00000u);
const uvec2 ONE = uvec2(0u, 0x3ff00000u);

// Down, or up: a number of magnitude below 1, subnormal ones too, by its sign alone.
uvec2 whole(uvec2 bits, bool up) {
    uvec2 sign = bits & SIGN;
    uvec2 magnitude = bits & ~SIGN;
    if (magnitude.y >= 0x43300000u || pair_is_zero(magnitude)) return bits;
    if (magnitude.y < ONE.y) return (sign.y != 0u) != up ? sign | ONE : sign;
    double x = packDouble2x32(bits);
    return unpackDouble2x32(up ? ceil(x) : floor(x));
}

uvec2 root(uvec2 bits) {
    if (pair_is_zero(bits & ~SIGN) || bits == INFINITY) return bits;
    return (bits.y & SIGN.y) != 0u ? DOUBLE_NAN : unpackDouble2x32(sqrt(packDouble2x32(bits)));
}

uvec2 exponential(uvec2 bits) {
    double x = packDouble2x32(bits);
    if (x > 710.0lf) return INFINITY;
    return x < -746.0lf ? uvec2(0u) : unpackDouble2x32(double_exp(x));
}

uvec2 logarithm(uvec2 bits) {
    if (pair_is_zero(bits & ~SIGN)) return SIGN | INFINITY;
    if ((bits.y & SIGN.y) != 0u) return DOUBLE_NAN;
    return bits == INFINITY ? bits : unpackDouble2x32(double_log(packDouble2x32(bits)));
}

uvec2 quotient(uvec2 a, uvec2 b) {
    uvec2 sign = (a ^ b) & SIGN;
    uvec2 a_size = a & ~SIGN;
    uvec2 b_size = b & ~SIGN;
    bool a_is_zero = pair_is_zero(a_size), b_is_zero = pair_is_zero(b_size);
    if ((a_is_zero && b_is_zero) || (a_size == INFINITY && b_size == INFINITY)) return DOUBLE_NAN;
    if (b_is_zero || a_size == INFINITY) return sign | INFINITY;
    if (a_is_zero || b_size == INFINITY) return sign;
    precise double result = packDouble2x32(a) / packDouble2x32(b);
    return unpackDouble2x32(result);
}

// The place of a number in the order of all, where -0 is before +0.
uvec2 place(uvec2 bits) { return key_encode_pair(bits, KEY_FLOAT); }
// The same with one place for both.
uvec2 place_by_value(uvec2 bits) { return pair_is_zero(bits & ~SIGN) ? SIGN : place(bits); }

uvec2 apply(uvec2 a_bits, uvec2 b_bits) {
    bool a_is_nan = double_bits_are_nan(a_bits);
    bool has_nan = a_is_nan || (BINARY != 0u && double_bits_are_nan(b_bits));
    if (operator_compares()) {
        uvec2 left = place_by_value(a_bits);
        uvec2 right = place_by_value(b_bits);
        return compared(!has_nan && pair_less(left, right), !has_nan && left == right, !has_nan && pair_less(right, left));
    }
    if (OPERATOR == OPERATOR_NEG) return a_bits ^ SIGN;
    if (OPERATOR == OPERATOR_ABS) return a_bits & ~SIGN;
    if (has_nan) return a_is_nan ? a_bits : b_bits;
    if (OPERATOR == OPERATOR_MIN) return pair_less(place(b_bits), place(a_bits)) ? b_bits : a_bits;
    if (OPERATOR == OPERATOR_MAX) return pair_less(place(a_bits), place(b_bits)) ? b_bits : a_bits;
    if (OPERATOR == OPERATOR_SQRT) return root(a_bits);
    if (OPERATOR == OPERATOR_EXP) return exponential(a_bits);
    if (OPERATOR == OPERATOR_LOG) return logarithm(a_bits);
    if (OPERATOR == OPERATOR_FLOOR) return whole(a_bits, false);
    if (OPERATOR == OPERATOR_CEIL) return whole(a_bits, true);
    if (OPERATOR == OPERATOR_DIV) return quotient(a_bits, b_bits);
    double a = packDouble2x32(a_bits);
    double b = packDouble2x32(b_bits);
    precise double result = a + b;
    if (OPERATOR == OPERATOR_SUB) result = a - b;
    if (OPERATOR == OPERATOR_MUL) result = a * b;
    return unpackDouble2x32(result);
}
