// What both kernels share: constants, the operators' numbers, and the number type, chosen by NUMBER_<TYPE>. Each type's file gives
//   uvec2 apply(uvec2 a, uvec2 b)     bits of the result, from the bits of the operands; `b` is not looked at where there is one operand
// Integers of 8 and 16 bits are computed as u32 or i32, and f16 as f32: what their size has no room for falls off as they are stored.
#ifndef WAVELANE_TRANSFORM_OPERATORS
#define WAVELANE_TRANSFORM_OPERATORS

#define COUNT_BINDING 3
#include "include/elementwise/count.glsl"

// Bytes of an element of the operands as a power of two.
layout(constant_id = 1) const uint SIZE_LOG2 = 2u;
// Bytes of an element of the result as a power of two: the same, or 2 for truth values.
layout(constant_id = 2) const uint RESULT_SIZE_LOG2 = 2u;
// One of the numbers below.
layout(constant_id = 3) const uint OPERATOR = 0u;
// 1: there are two operands.
layout(constant_id = 4) const uint BINARY = 0u;
// 1: what shares the last result's word, behind it, stays as it is, and A has it: results take A's place, and are not all there are.
layout(constant_id = 8) const uint KEEP_REST = 0u;

const uint OPERATOR_NEG = 0u;
const uint OPERATOR_ABS = 1u;
const uint OPERATOR_SQRT = 2u;
const uint OPERATOR_EXP = 3u;
const uint OPERATOR_LOG = 4u;
const uint OPERATOR_FLOOR = 5u;
const uint OPERATOR_CEIL = 6u;
const uint OPERATOR_NOT = 7u;
const uint OPERATOR_ADD = 8u;
const uint OPERATOR_SUB = 9u;
const uint OPERATOR_MUL = 10u;
const uint OPERATOR_DIV = 11u;
const uint OPERATOR_MIN = 12u;
const uint OPERATOR_MAX = 13u;
const uint OPERATOR_AND = 14u;
const uint OPERATOR_OR = 15u;
const uint OPERATOR_XOR = 16u;
const uint OPERATOR_SHL = 17u;
const uint OPERATOR_SHR = 18u;
const uint OPERATOR_EQ = 19u;
const uint OPERATOR_NE = 20u;
const uint OPERATOR_LT = 21u;
const uint OPERATOR_LE = 22u;
const uint OPERATOR_GT = 23u;
const uint OPERATOR_GE = 24u;

bool operator_compares() { return OPERATOR >= OPERATOR_EQ; }

// The truth value of a comparison. Of numbers that have no order, such as NaN, none of the three holds.
uvec2 compared(bool less, bool equal, bool greater) {
    bool holds = equal;
    if (OPERATOR == OPERATOR_NE) holds = !equal;
    if (OPERATOR == OPERATOR_LT) holds = less;
    if (OPERATOR == OPERATOR_LE) holds = less || equal;
    if (OPERATOR == OPERATOR_GT) holds = greater;
    if (OPERATOR == OPERATOR_GE) holds = greater || equal;
    return uvec2(holds ? 1u : 0u, 0u);
}

#if defined(NUMBER_U32)
#include "transform/number/u32.glsl"
#elif defined(NUMBER_I32)
#include "transform/number/i32.glsl"
#elif defined(NUMBER_F32)
#include "transform/number/f32.glsl"
#elif defined(NUMBER_U64)
#include "transform/number/u64.glsl"
#elif defined(NUMBER_I64)
#include "transform/number/i64.glsl"
#elif defined(NUMBER_F64)
#include "transform/number/f64.glsl"
#else
#error "define NUMBER_U32, _I32, _F32, _U64, _I64 or _F64"
#endif

#endif
