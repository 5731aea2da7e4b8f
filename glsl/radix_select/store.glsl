// Where results go. Before the include stand interface.glsl, width.glsl, key_words and position_words.
#ifndef WAVELANE_RADIX_SELECT_STORE
#define WAVELANE_RADIX_SELECT_STORE

void store_key(uint to, Bits key) {
#if defined(PER_WORD)
    // The words were cleared, and others may be writing the rest of one.
    const uint BITS = 32u / PER_WORD;
    atomicOr(key_words[to / PER_WORD], key >> (32u - BITS) << (BITS * (to % PER_WORD)));
#elif defined(WIDTH_W64)
    key_words[2u * to] = key.x;
    key_words[2u * to + 1u] = key.y;
#else
    key_words[to] = key;
#endif
}

void store(uint result, Bits key, uint position) {
    if ((options & OPTION_KEYS) != 0u) store_key(result - first_key, key);
    if ((options & OPTION_POSITIONS) != 0u) position_words[result - first_position] = position;
}

#endif
