// Unsigned integers of 8 or 16 bits, four or two to a word, widened to 32 bits as they are read: works without any storage feature of the device.
// One module serves both.

// Bits of an element: 8 or 16.
layout(constant_id = 15) const uint ELEMENT_BITS = 16u;

#define Element uint
#define ELEMENTS_PER_QUAD 8u

uint small_of(uint word, uint i) {
    uint shift = (i % (32u / ELEMENT_BITS)) * ELEMENT_BITS;
    return (word >> shift) & ((1u << ELEMENT_BITS) - 1u);
}

Element element_load(uint i) { return small_of(input_words[i / (32u / ELEMENT_BITS)], i); }

// Eight elements, whatever their size: bytes take the first two words.
uvec4 element_quad(uint i) {
    if (ELEMENT_BITS == 8u) return uvec4(input_pairs[i], 0u, 0u);
    return input_quads[i];
}

void element_unpack(uvec4 quad, out Element e[ELEMENTS_PER_QUAD]) {
    for (uint k = 0u; k < ELEMENTS_PER_QUAD; ++k) {
        uint word = ELEMENT_BITS == 8u ? quad[k / 4u] : quad[k / 2u];
        e[k] = small_of(word, k);
    }
}

bool element_is_nan(Element e) { return false; }
bool element_is_zero(Element e) { return e == 0u; }
float element_to_float(Element e) { return float(e); }
