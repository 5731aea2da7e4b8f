// The bin of an element, by its key: an unsigned number with the order of the elements. Whether an element is in a bin is decided by comparing keys, so
// results are exact whatever a device's floats are; those only guess where to look. Gives
//   bool bin_of(Bits bits, out uint bin)      false for what is in no bin
#ifndef WAVELANE_HISTOGRAM_BIN
#define WAVELANE_HISTOGRAM_BIN

#if defined(WIDTH_W64)

#define Key uvec2
Key least_key() { return uvec2(least_low, least_high); }
Key most_key() { return uvec2(most_low, most_high); }
Key element_key(Bits bits) { return bits_key(bits, KIND); }
Key lookup_key(uint i) { return uvec2(lookup_words[lookup + 2u * i], lookup_words[lookup + 2u * i + 1u]); }
uint key_behind_least(Key key) { return key.x - least_low; }

#else

#define Key uint
#if defined(WIDTH_W8)
const uint UNUSED_BITS = 24u;
float element_value(Bits bits) { return KIND == KEY_SIGNED ? float(int(bits) >> 24) : float(bits >> 24); }
#elif defined(WIDTH_W16)
const uint UNUSED_BITS = 16u;
float element_value(Bits bits) {
    if (KIND == KEY_FLOAT) return half_to_float(bits >> 16);
    return KIND == KEY_SIGNED ? float(int(bits) >> 16) : float(bits >> 16);
}
#else
const uint UNUSED_BITS = 0u;
float element_value(Bits bits) {
    if (KIND == KEY_FLOAT) return uintBitsToFloat(bits);
    return KIND == KEY_SIGNED ? float(int(bits)) : float(bits);
}
#endif
Key least_key() { return least_low; }
Key most_key() { return most_low; }
Key element_key(Bits bits) { return bits_key(bits, KIND) >> UNUSED_BITS; }
Key lookup_key(uint i) { return lookup_words[lookup + i]; }
uint key_behind_least(Key key) { return key - least_low; }

#endif

// The last bin from `begin` on that begins at the key or before it; that of `begin` does, and those from `end` on do not.
uint bin_search(Key key, uint begin, uint end) {
    while (end - begin > 1u) {
        uint middle = begin + (end - begin) / 2u;
        if (key_less(key, lookup_key(middle))) end = middle;
        else begin = middle;
    }
    return begin;
}

bool bin_of(Bits bits, out uint bin) {
    Key key = element_key(bits);
    bin = 0u;
    if (key_less(key, least_key()) || key_less(most_key(), key)) return false;
    if (FIND == FIND_SHIFT) {
        // The last bin has its right edge, too.
        bin = min(key_behind_least(key) >> shift, live - 1u);
        return true;
    }
#ifndef WIDTH_W64
    if (FIND == FIND_TABLE) {
        bin = lookup_words[lookup + key_behind_least(key)];
        return true;
    }
    if (FIND == FIND_EVEN) {
        float guess = (element_value(bits) - low) * scale;
        bin = min(uint(clamp(guess, 0.0, float(live - 1u))), live - 1u);
        if (key_less(key, lookup_key(bin))) bin = bin_search(key, 0u, bin);
        else if (bin + 1u < live && !key_less(key, lookup_key(bin + 1u))) bin = bin_search(key, bin + 1u, live);
        return true;
    }
#endif
    bin = bin_search(key, 0u, live);
    return true;
}

#endif
