#define Element int
#define ELEMENTS_PER_QUAD 4u

Element element_load(uint i) { return int(input_words[i]); }

void element_unpack(uvec4 quad, out Element e[ELEMENTS_PER_QUAD]) {
    for (uint k = 0u; k < ELEMENTS_PER_QUAD; ++k) e[k] = int(quad[k]);
}

bool element_is_nan(Element e) { return false; }
bool element_is_zero(Element e) { return e == 0; }
float element_to_float(Element e) { return float(e); }
