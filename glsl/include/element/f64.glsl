#include "include/float_bits.glsl"

#define Element double
#define ELEMENTS_PER_QUAD 2u

Element element_load(uint i) { return packDouble2x32(input_pairs[i]); }

void element_unpack(uvec4 quad, out Element e[ELEMENTS_PER_QUAD]) {
    e[0] = packDouble2x32(quad.xy);
    e[1] = packDouble2x32(quad.zw);
}

bool element_is_nan(Element e) { return double_bits_are_nan(unpackDouble2x32(e)); }
bool element_is_zero(Element e) {
    uvec2 bits = unpackDouble2x32(e);
    return (bits.x | (bits.y & 0x7fffffffu)) == 0u;
}
