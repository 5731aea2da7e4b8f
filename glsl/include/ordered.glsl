// The order that sorted arrays are in: numpy's. All NaN are one, and behind everything else; zeros of either sign are one. Before the include stands compact/width.glsl. Gives
//   Bits ordered_key(Bits b, uint kind, bool descending)     bits whose order as unsigned numbers is that of the elements; the other way around if `descending`
//   BITS_ELEMENT(name, words)
//     Bits name(uint i)                                      element i of a buffer of words, as `input_element` of the bound input
#ifndef WAVELANE_ORDERED
#define WAVELANE_ORDERED

Bits ordered_key(Bits b, uint kind, bool descending) {
    Bits key = bits_key(b, kind);
    if (kind == KEY_FLOAT && bits_are_nan(b)) key = Bits(0xffffffffu);
    return descending ? ~key : key;
}

#if defined(WIDTH_W64)
#define BITS_ELEMENT(NAME, WORDS_OF) Bits NAME(uint i) { return uvec2(WORDS_OF[2u * i], WORDS_OF[2u * i + 1u]); }
#elif defined(WIDTH_W32)
#define BITS_ELEMENT(NAME, WORDS_OF) Bits NAME(uint i) { return WORDS_OF[i]; }
#else
#define BITS_ELEMENT(NAME, WORDS_OF) Bits NAME(uint i) { return part_of(WORDS_OF[i / PER_WORD], i); }
#endif

#endif
