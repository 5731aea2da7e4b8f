// Unsigned integers of 8, 16 and 32 bits. They wrap; what is divided by 0 is 0; what is shifted out is gone.
uvec2 apply(uvec2 a_bits, uvec2 b_bits) {
    uint a = a_bits.x;
    uint b = b_bits.x;
    uint result = a;
    if (operator_compares()) return compared(a < b, a == b, a > b);
    if (OPERATOR == OPERATOR_NEG) result = 0u - a;
    if (OPERATOR == OPERATOR_NOT) result = ~a;
    if (OPERATOR == OPERATOR_ADD) result = a + b;
    if (OPERATOR == OPERATOR_SUB) result = a - b;
    if (OPERATOR == OPERATOR_MUL) result = a * b;
    if (OPERATOR == OPERATOR_DIV) result = b == 0u ? 0u : a / max(b, 1u);
    if (OPERATOR == OPERATOR_MIN) result = min(a, b);
    if (OPERATOR == OPERATOR_MAX) result = max(a, b);
    if (OPERATOR == OPERATOR_AND) result = a & b;
    if (OPERATOR == OPERATOR_OR) result = a | b;
    if (OPERATOR == OPERATOR_XOR) result = a ^ b;
    if (OPERATOR == OPERATOR_SHL) result = b < (8u << SIZE_LOG2) ? a << min(b, 31u) : 0u;
    if (OPERATOR == OPERATOR_SHR) result = b < (8u << SIZE_LOG2) ? a >> min(b, 31u) : 0u;
    return uvec2(result, 0u);
}
