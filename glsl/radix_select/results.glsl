// Where the first keys of rows go, and where they stood. Before the include stand interface.glsl, width.glsl, key_words and position_words.
#ifndef WAVELANE_RADIX_SELECT_RESULTS
#define WAVELANE_RADIX_SELECT_RESULTS

#include "radix_select/store.glsl"

// Results outside of the window are left to another dispatch.
void store(uint result, Bits key, uint position) {
    if (result - window_first >= window) return;
    if ((options & OPTION_KEYS) != 0u) store_key(result - first_key, key);
    if ((options & OPTION_POSITIONS) != 0u) position_words[result - first_position] = position;
}

#endif
