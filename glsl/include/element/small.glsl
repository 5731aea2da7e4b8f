// Integers of 8 or 16 bits, four or two to a word, widened to 32 bits as they are read: works without any storage feature of the device.
// One module serves both sizes, signed and unsigned: all their numbers are numbers of 32 signed bits.

// Bits of an element: 8 or 16.
layout(constant_id = 15) const uint ELEMENT_BITS = 16u;
// 1: the uppermost of them is the sign.
layout(constant_id = 16) const uint ELEMENT_SIGNED = 0u;

#define Element int
#define ELEMENTS_PER_QUAD 8u

Element small_of(uint word, uint i) {
    uint per_word = 32u / ELEMENT_BITS;
    // In the upper part of a word, where a shift to the right brings the sign along.
    uint upper = word << ((per_word - 1u - i % per_word) * ELEMENT_BITS);
    return ELEMENT_SIGNED != 0u ? int(upper) >> (32u - ELEMENT_BITS) : int(upper >> (32u - ELEMENT_BITS));
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
bool element_is_zero(Element e) { return e == 0; }
float element_to_float(Element e) { return float(e); }
