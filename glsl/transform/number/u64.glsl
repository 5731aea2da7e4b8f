// Unsigned integers of 64 bits, as those of 32.
uvec2 apply(uvec2 a_bits, uvec2 b_bits) {
    uint64_t a = packUint2x32(a_bits);
    uint64_t b = packUint2x32(b_bits);
    if (operator_compares()) return compared(a < b, a == b, a > b);
    bool inside = b_bits.y == 0u && b_bits.x < 64u;
    uint64_t result = a;
    if (OPERATOR == OPERATOR_NEG) result = uint64_t(0) - a;
    if (OPERATOR == OPERATOR_NOT) result = ~a;
    if (OPERATOR == OPERATOR_ADD) result = a + b;
    if (OPERATOR == OPERATOR_SUB) result = a - b;
    if (OPERATOR == OPERATOR_MUL) result = a * b;
    if (OPERATOR == OPERATOR_DIV) {
        if (b == uint64_t(0)) result = uint64_t(0);
        else result = a / b;
    }
    if (OPERATOR == OPERATOR_MIN) result = a < b ? a : b;
    if (OPERATOR == OPERATOR_MAX) result = a > b ? a : b;
    if (OPERATOR == OPERATOR_AND) result = a & b;
    if (OPERATOR == OPERATOR_OR) result = a | b;
    if (OPERATOR == OPERATOR_XOR) result = a ^ b;
    if (OPERATOR == OPERATOR_SHL) result = inside ? a << (b_bits.x & 63u) : uint64_t(0);
    if (OPERATOR == OPERATOR_SHR) result = inside ? a >> (b_bits.x & 63u) : uint64_t(0);
    return unpackUint2x32(result);
}
