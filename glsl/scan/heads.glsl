// Where segments begin, in the order of the scan: backwards a segment begins with its last element.
#ifndef WAVELANE_SCAN_HEADS
#define WAVELANE_SCAN_HEADS

// A key of which two or four stand in a word.
uint small_key(uint at) {
    if (HEADS == HEADS_KEYS_8) return (head_words[at / 4u] >> (8u * (at % 4u))) & 0xffu;
    return (head_words[at / 2u] >> (16u * (at % 2u))) & 0xffffu;
}

// Whether the element before begins another segment than this one. `i` > 0 counts through the whole array.
bool heads_differ(uint i) {
    if (HEADS == HEADS_LENGTH) return i % segment_length == 0u;
    uint at = i - head_first;
    if (HEADS == HEADS_FLAGS) return head_words[at] != 0u;
    if (HEADS == HEADS_BITS) return (head_words[at / 32u] & (1u << (at % 32u))) != 0u;
    if (HEADS == HEADS_KEYS_32) return head_words[at] != head_words[at - 1u];
    if (HEADS == HEADS_KEYS_64) return head_words[2u * at] != head_words[2u * at - 2u] || head_words[2u * at + 1u] != head_words[2u * at - 1u];
    return small_key(at) != small_key(at - 1u);
}

// `in_row` is the element's place in its row, and `length` how many there are in the row.
bool heads_at(uint i, uint in_row, uint length) {
    if (HEADS == HEADS_NONE) return false;
    if (HEADS == HEADS_ROWS) return in_row == (REVERSE != 0u ? length - 1u : 0u);
    if (REVERSE != 0u) {
        // With a count the array ends there.
        uint end = COUNTED != 0u ? length : total;
        return i == end - 1u || heads_differ(i + 1u);
    }
    return i == 0u || heads_differ(i);
}

#endif
