// Puts keys into key_words. Before the include stands width.glsl.
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

#endif
