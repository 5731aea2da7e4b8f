// Unsigned integers of 64 bits in two words, the low one first, for devices that do not know them. Shifts are by 0 to 64.
#ifndef WAVELANE_PAIR
#define WAVELANE_PAIR

uvec2 pair_left(uvec2 x, uint by) {
    if (by >= 64u) return uvec2(0u);
    if (by >= 32u) return uvec2(0u, x.x << (by - 32u));
    if (by == 0u) return x;
    return uvec2(x.x << by, (x.y << by) | (x.x >> (32u - by)));
}

uvec2 pair_right(uvec2 x, uint by) {
    if (by >= 64u) return uvec2(0u);
    if (by >= 32u) return uvec2(x.y >> (by - 32u), 0u);
    if (by == 0u) return x;
    return uvec2((x.x >> by) | (x.y << (32u - by)), x.y >> by);
}

uvec2 pair_add(uvec2 a, uvec2 b) {
    uint carry;
    uint low = uaddCarry(a.x, b.x, carry);
    return uvec2(low, a.y + b.y + carry);
}

uvec2 pair_negative(uvec2 x) { return pair_add(~x, uvec2(1u, 0u)); }

bool pair_is_zero(uvec2 x) { return (x.x | x.y) == 0u; }

bool pair_less(uvec2 a, uvec2 b) { return a.y < b.y || (a.y == b.y && a.x < b.x); }

// How many bits a number takes: 0 for 0.
uint pair_length(uvec2 x) { return x.y != 0u ? uint(findMSB(x.y)) + 33u : (x.x != 0u ? uint(findMSB(x.x)) + 1u : 0u); }

// The low bits of a pair, as many as `bits`.
uvec2 pair_low(uvec2 x, uint bits) { return bits >= 64u ? x : x & ~pair_left(uvec2(0xffffffffu), bits); }

#endif
