// Elements of 1, 2, 4 or 8 bytes as bits in words, so that no type needs a storage feature of the device. `size_log2` is 0 to 3 and
// best a constant. The bits of an element are a uvec2, low word first; upper bits that the size has no room for are 0. Gives
//   uint size_words(uint elements, uint size_log2)                       words of so many elements, the last one perhaps in part
//   uint size_elements_per_word(uint size_log2)                          elements that one word holds; 1 where it takes two
//   uint size_extract(uint word, uint at, uint size_log2)                element `at` of a word, for sizes up to 4
//   void size_insert(inout uint word, uint at, uint bits, uint size_log2)  puts one into a word that is 0 there, for sizes up to 4
#ifndef WAVELANE_ELEMENTWISE_SIZE
#define WAVELANE_ELEMENTWISE_SIZE

// What a descriptor reaches has less than 2^32 bytes, so these fit; only the elements of one are ever counted.
uint size_words(uint elements, uint size_log2) { return ((elements << size_log2) + 3u) / 4u; }

uint size_elements_per_word(uint size_log2) { return size_log2 >= 2u ? 1u : 4u >> size_log2; }

uint size_mask(uint size_log2) { return size_log2 >= 2u ? 0xffffffffu : (1u << (8u << size_log2)) - 1u; }

uint size_extract(uint word, uint at, uint size_log2) {
    if (size_log2 >= 2u) return word;
    return (word >> (at * (8u << size_log2))) & size_mask(size_log2);
}

void size_insert(inout uint word, uint at, uint bits, uint size_log2) {
    if (size_log2 >= 2u) word = bits;
    else word |= (bits & size_mask(size_log2)) << (at * (8u << size_log2));
}

#endif
