#define Element uint64_t
#define ELEMENTS_PER_QUAD 2u

Element element_load(uint i) { return packUint2x32(input_pairs[i]); }

void element_unpack(uvec4 quad, out Element e[ELEMENTS_PER_QUAD]) {
    e[0] = packUint2x32(quad.xy);
    e[1] = packUint2x32(quad.zw);
}

bool element_is_nan(Element e) { return false; }
bool element_is_zero(Element e) { return e == uint64_t(0); }
float element_to_float(Element e) { return float(e); }
