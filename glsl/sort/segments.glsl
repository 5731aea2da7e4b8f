// Rows that offsets tell of: segments. Before the include stand table_words and, among the push constants, `offsets` (the word where they begin), `segments` and `row_length`, which is the number of all keys.
//
// Whatever the offsets are, what is found lies within the keys.
#ifndef WAVELANE_SORT_SEGMENTS
#define WAVELANE_SORT_SEGMENTS

// Whether rows are segments.
layout(constant_id = 11) const uint IN_SEGMENTS = 0u;

uint segment_offset(uint number) { return min(table_words[offsets + number], row_length); }

uint segment_end(uint number) { return max(segment_offset(number + 1u), segment_offset(number)); }

// The first segment that begins at `key` or behind it: as many as begin before it.
uint segment_from(uint key) {
    uint first = 0u;
    uint count = segments;
    while (count > 0u) {
        uint half_count = count >> 1u;
        bool before = segment_offset(first + half_count) < key;
        first = before ? first + half_count + 1u : first;
        count = before ? count - half_count - 1u : half_count;
    }
    return first;
}

#endif
