// Signed integers of 64 bits, as those of 32.
int64_t quotient(int64_t a, int64_t b) {
    if (b == int64_t(0)) return int64_t(0);
    // The one quotient that the type does not hold.
    if (b == int64_t(-1)) return int64_t(0) - a;
    int64_t q = a / b;
    int64_t rest = a - q * b;
    return rest != int64_t(0) && (rest < int64_t(0)) != (b < int64_t(0)) ? q - int64_t(1) : q;
}

uvec2 apply(uvec2 a_bits, uvec2 b_bits) {
    int64_t a = int64_t(packUint2x32(a_bits));
    int64_t b = int64_t(packUint2x32(b_bits));
    if (operator_compares()) return compared(a < b, a == b, a > b);
    bool inside = b_bits.y == 0u && b_bits.x < 64u;
    int64_t result = a;
    if (OPERATOR == OPERATOR_NEG) result = int64_t(0) - a;
    if (OPERATOR == OPERATOR_ABS) result = a < int64_t(0) ? int64_t(0) - a : a;
    if (OPERATOR == OPERATOR_NOT) result = ~a;
    if (OPERATOR == OPERATOR_ADD) result = a + b;
    if (OPERATOR == OPERATOR_SUB) result = a - b;
    if (OPERATOR == OPERATOR_MUL) result = a * b;
    if (OPERATOR == OPERATOR_DIV) result = quotient(a, b);
    if (OPERATOR == OPERATOR_MIN) result = a < b ? a : b;
    if (OPERATOR == OPERATOR_MAX) result = a > b ? a : b;
    if (OPERATOR == OPERATOR_AND) result = a & b;
    if (OPERATOR == OPERATOR_OR) result = a | b;
    if (OPERATOR == OPERATOR_XOR) result = a ^ b;
    if (OPERATOR == OPERATOR_SHL) result = inside ? a << (b_bits.x & 63u) : int64_t(0);
    if (OPERATOR == OPERATOR_SHR) result = a >> (inside ? b_bits.x : 63u);
    return unpackUint2x32(uint64_t(result));
}
