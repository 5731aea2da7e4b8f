// How sorted keys and what belongs to them are put in their places. Before the include stand output_words, value_words and width.glsl.
#ifndef WAVELANE_SORT_STORE
#define WAVELANE_SORT_STORE

// The value of the key that is value `at` of the bound ones and number `number` of its row.
void store_value(uint to, uint at, uint number) {
    bool numbers = (options & OPTION_NUMBERS) != 0u;
    output_words[to * VALUE_WORDS] = numbers ? number : value_words[at * VALUE_WORDS];
    if (VALUE_WORDS > 1u) output_words[to * VALUE_WORDS + 1u] = value_words[at * VALUE_WORDS + 1u];
}

void store_key(uint to, Bits key) {
#if defined(PER_WORD)
    // The output was cleared, and others may be writing the rest of the word.
    const uint BITS = 32u / PER_WORD;
    atomicOr(output_words[to / PER_WORD], key >> (32u - BITS) << (BITS * (to % PER_WORD)));
#elif defined(WIDTH_W64)
    output_words[2u * to] = key.x;
    output_words[2u * to + 1u] = key.y;
#else
    output_words[to] = key;
#endif
}

#endif
