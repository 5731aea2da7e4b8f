// How sorted keys and what belongs to them are put in their places. Before the include stand output_words, value_words and width.glsl.
#ifndef WAVELANE_SORT_STORE
#define WAVELANE_SORT_STORE

// The value of the key that is value `at` of the bound ones and number `number` of its row.
uvec2 load_value(uint at, uint number) {
    if ((options & OPTION_NUMBERS) != 0u) return uvec2(number, 0u);
    return uvec2(value_words[at * VALUE_WORDS], VALUE_WORDS > 1u ? value_words[at * VALUE_WORDS + 1u] : 0u);
}

void store_value(uint to, uvec2 value) {
    output_words[to * VALUE_WORDS] = value.x;
    if (VALUE_WORDS > 1u) output_words[to * VALUE_WORDS + 1u] = value.y;
}

// Key `to` of those in `words`.
#if defined(PER_WORD)
// The output was cleared, and others may be writing the rest of the word.
#define STORE_KEY(words, to, key) atomicOr(words[(to) / PER_WORD], (key) >> (32u - 32u / PER_WORD) << (32u / PER_WORD * ((to) % PER_WORD)))
#elif defined(WIDTH_W64)
#define STORE_KEY(words, to, key) (words[2u * (to)] = (key).x, words[2u * (to) + 1u] = (key).y)
#else
#define STORE_KEY(words, to, key) (words[to] = (key))
#endif

#endif
