// Floats of 32 bits, and of 16 computed as those. What IEEE 754 says of NaN, infinities and zeros holds on every device, as such operands are
// looked at by their bits where Vulkan leaves a result open.
#include "include/float_bits.glsl"
#include "include/half.glsl"
#include "include/key.glsl"

float decoded(uvec2 bits) { return SIZE_LOG2 == 1u ? half_to_float(bits.x) : uintBitsToFloat(bits.x); }
uvec2 encoded(float x) { return uvec2(SIZE_LOG2 == 1u ? half_from_float(x) : floatBitsToUint(x), 0u); }

const uint SIGN = 0x80000000u;
const uint INFINITY = 0x7f800000u;
const uint ONE = 0x3f800000u;

// Down, or up: a number of magnitude below 1, subnormal ones too, by its sign alone.
uint whole(float x, bool up) {
    uint bits = floatBitsToUint(x);
    uint sign = bits & SIGN;
    uint magnitude = bits & ~SIGN;
    if (magnitude >= 0x4b000000u || magnitude == 0u) return bits;
    if (magnitude < ONE) return (sign != 0u) != up ? sign | ONE : sign;
    return floatBitsToUint(up ? ceil(x) : floor(x));
}

uint root(float x) {
    uint bits = floatBitsToUint(x);
    if ((bits & ~SIGN) == 0u || bits == INFINITY || float_is_nan(x)) return bits;
    return (bits & SIGN) != 0u ? FLOAT_NAN : floatBitsToUint(sqrt(x));
}

uint exponential(float x) {
    if (float_is_nan(x)) return floatBitsToUint(x);
    if (x > 88.8) return INFINITY;
    return x < -104.0 ? 0u : floatBitsToUint(exp(x));
}

uint logarithm(float x) {
    uint bits = floatBitsToUint(x);
    if ((bits & ~SIGN) == 0u) return SIGN | INFINITY;
    if (bits == INFINITY || float_is_nan(x)) return bits;
    if ((bits & SIGN) != 0u) return FLOAT_NAN;
    // A subnormal number counts 2^-149, and a device may take it for 0.
    return floatBitsToUint(bits < 0x00800000u ? log(float(bits)) - 103.278929903432 : log(x));
}

uint quotient(float a, float b) {
    uint a_bits = floatBitsToUint(a);
    uint b_bits = floatBitsToUint(b);
    uint sign = (a_bits ^ b_bits) & SIGN;
    uint a_size = a_bits & ~SIGN;
    uint b_size = b_bits & ~SIGN;
    if (a_size > INFINITY) return a_bits;
    if (b_size > INFINITY) return b_bits;
    if ((a_size == 0u && b_size == 0u) || (a_size == INFINITY && b_size == INFINITY)) return FLOAT_NAN;
    if (b_size == 0u || a_size == INFINITY) return sign | INFINITY;
    if (a_size == 0u || b_size == INFINITY) return sign;
    precise float result = a / b;
    return floatBitsToUint(result);
}

// The place of a number in the order of all, where -0 is before +0.
uint place(float x) { return key_encode(floatBitsToUint(x), KEY_FLOAT); }
// The same with one place for both.
uint place_by_value(float x) { return (floatBitsToUint(x) & ~SIGN) == 0u ? SIGN : place(x); }

uvec2 apply(uvec2 a_bits, uvec2 b_bits) {
    float a = decoded(a_bits);
    float b = 0.0;
    bool has_nan = float_is_nan(a);
    if (BINARY != 0u) {
        b = decoded(b_bits);
        has_nan = has_nan || float_is_nan(b);
    }
    if (operator_compares()) {
        uint left = place_by_value(a);
        uint right = place_by_value(b);
        return compared(!has_nan && left < right, !has_nan && left == right, !has_nan && left > right);
    }
    uint sign = 1u << ((8u << SIZE_LOG2) - 1u);
    if (OPERATOR == OPERATOR_NEG) return a_bits ^ uvec2(sign, 0u);
    if (OPERATOR == OPERATOR_ABS) return a_bits & uvec2(~sign, 0u);
    uvec2 first_nan = float_is_nan(a) ? a_bits : b_bits;
    if (OPERATOR == OPERATOR_MIN) return has_nan ? first_nan : (place(b) < place(a) ? b_bits : a_bits);
    if (OPERATOR == OPERATOR_MAX) return has_nan ? first_nan : (place(b) > place(a) ? b_bits : a_bits);
    if (has_nan) return first_nan;
    uint result = 0u;
    if (OPERATOR == OPERATOR_SQRT) result = root(a);
    if (OPERATOR == OPERATOR_EXP) result = exponential(a);
    if (OPERATOR == OPERATOR_LOG) result = logarithm(a);
    if (OPERATOR == OPERATOR_FLOOR) result = whole(a, false);
    if (OPERATOR == OPERATOR_CEIL) result = whole(a, true);
    precise float sum = OPERATOR == OPERATOR_SUB ? a - b : a + b;
    if (OPERATOR == OPERATOR_ADD || OPERATOR == OPERATOR_SUB) result = floatBitsToUint(sum);
    precise float product = a * b;
    if (OPERATOR == OPERATOR_MUL) result = floatBitsToUint(product);
    if (OPERATOR == OPERATOR_DIV) result = quotient(a, b);
    return encoded(uintBitsToFloat(result));
}
