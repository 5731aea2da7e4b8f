// Order-preserving unsigned keys: comparing two keys as unsigned integers is comparing the elements, so min and max of
// every type are min and max of unsigned integers, exact, with NaN placed where the caller wants it.
// KEY_KIND is a specialization constant: 0 unsigned (or no key), 1 signed, 2 float.
#ifndef WAVELANE_KEY
#define WAVELANE_KEY

const uint KEY_UNSIGNED = 0u;
const uint KEY_SIGNED = 1u;
const uint KEY_FLOAT = 2u;

// Float: negative numbers have all bits flipped, positive ones the sign bit. Both ends of the range decode to NaN.
uint key_encode(uint bits, uint kind) {
    if (kind == KEY_SIGNED) return bits ^ 0x80000000u;
    if (kind == KEY_FLOAT) return bits ^ ((bits & 0x80000000u) != 0u ? 0xffffffffu : 0x80000000u);
    return bits;
}

uint key_decode(uint key, uint kind) {
    if (kind == KEY_SIGNED) return key ^ 0x80000000u;
    if (kind == KEY_FLOAT) return key ^ ((key & 0x80000000u) != 0u ? 0x80000000u : 0xffffffffu);
    return key;
}

// The same for 64 bits as (low, high).
uvec2 key_encode_pair(uvec2 bits, uint kind) {
    if (kind == KEY_FLOAT && (bits.y & 0x80000000u) != 0u) return ~bits;
    if (kind != KEY_UNSIGNED) return uvec2(bits.x, bits.y ^ 0x80000000u);
    return bits;
}

uvec2 key_decode_pair(uvec2 key, uint kind) {
    if (kind == KEY_FLOAT && (key.y & 0x80000000u) == 0u) return ~key;
    if (kind != KEY_UNSIGNED) return uvec2(key.x, key.y ^ 0x80000000u);
    return key;
}

#endif
