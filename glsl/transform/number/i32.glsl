// Signed integers of 8, 16 and 32 bits. They wrap; quotients are rounded down, and what is divided by 0 is 0; a shift by a negative number is one by too many.
int quotient(int a, int b) {
    if (b == 0) return 0;
    // The one quotient that the type does not hold.
    if (b == -1) return int(0u - uint(a));
    int q = a / b;
    int rest = a - q * b;
    return rest != 0 && (rest < 0) != (b < 0) ? q - 1 : q;
}

// The number that the bits of an element are.
int number_of(uint bits) {
    uint unused = 32u - (8u << SIZE_LOG2);
    return int(bits << unused) >> unused;
}

uvec2 apply(uvec2 a_bits, uvec2 b_bits) {
    int a = number_of(a_bits.x);
    int b = number_of(b_bits.x);
    uint result = a_bits.x;
    if (operator_compares()) return compared(a < b, a == b, a > b);
    if (OPERATOR == OPERATOR_NEG) result = 0u - a_bits.x;
    if (OPERATOR == OPERATOR_ABS) result = a < 0 ? 0u - a_bits.x : a_bits.x;
    if (OPERATOR == OPERATOR_NOT) result = ~a_bits.x;
    if (OPERATOR == OPERATOR_ADD) result = a_bits.x + b_bits.x;
    if (OPERATOR == OPERATOR_SUB) result = a_bits.x - b_bits.x;
    if (OPERATOR == OPERATOR_MUL) result = a_bits.x * b_bits.x;
    if (OPERATOR == OPERATOR_DIV) result = uint(quotient(a, b));
    if (OPERATOR == OPERATOR_MIN) result = uint(min(a, b));
    if (OPERATOR == OPERATOR_MAX) result = uint(max(a, b));
    if (OPERATOR == OPERATOR_AND) result = a_bits.x & b_bits.x;
    if (OPERATOR == OPERATOR_OR) result = a_bits.x | b_bits.x;
    if (OPERATOR == OPERATOR_XOR) result = a_bits.x ^ b_bits.x;
    if (OPERATOR == OPERATOR_SHL) result = b >= 0 && b < int(8u << SIZE_LOG2) ? a_bits.x << min(uint(b), 31u) : 0u;
    if (OPERATOR == OPERATOR_SHR) result = uint(a >> min(uint(b), 31u));
    return uvec2(result, 0u);
}
