// Where segments begin, and where the last one ends; after the push constants, which tell of segments of one length.
#ifndef WAVELANE_SEGMENTED_REDUCE_OFFSETS
#define WAVELANE_SEGMENTED_REDUCE_OFFSETS

uint offset_of(uint i) {
    // The last one may be shorter, and i * segment_length more than 2^32.
    if (EVEN != 0u) return i < most_segments ? i * segment_length : length;
    return offset_words[i];
}

uint end_of(uint segment) { return offset_of(segment + 1u); }

#endif
