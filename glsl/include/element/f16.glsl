// Half floats, two to a word, widened to f32 as they are read: works without any 16-bit feature of the device.
#include "include/float_bits.glsl"

#define Element float
#define ELEMENTS_PER_QUAD 8u

Element element_load(uint i) {
    vec2 pair = unpackHalf2x16(input_words[i >> 1]);
    return (i & 1u) == 0u ? pair.x : pair.y;
}

void element_unpack(uvec4 quad, out Element e[ELEMENTS_PER_QUAD]) {
    for (uint k = 0u; k < 4u; ++k) {
        vec2 pair = unpackHalf2x16(quad[k]);
        e[2u * k] = pair.x;
        e[2u * k + 1u] = pair.y;
    }
}

bool element_is_nan(Element e) { return float_is_nan(e); }
bool element_is_zero(Element e) { return (floatBitsToUint(e) & 0x7fffffffu) == 0u; }
float element_to_float(Element e) { return e; }
