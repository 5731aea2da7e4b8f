#include "include/float_bits.glsl"

#define Element float
#define ELEMENTS_PER_QUAD 4u

Element element_load(uint i) { return uintBitsToFloat(input_words[i]); }

void element_unpack(uvec4 quad, out Element e[ELEMENTS_PER_QUAD]) {
    for (uint k = 0u; k < ELEMENTS_PER_QUAD; ++k) e[k] = uintBitsToFloat(quad[k]);
}

bool element_is_nan(Element e) { return float_is_nan(e); }
bool element_is_zero(Element e) { return (floatBitsToUint(e) & 0x7fffffffu) == 0u; }
float element_to_float(Element e) { return e; }
