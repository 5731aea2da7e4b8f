// Which lanes of a subgroup have the same digit. Before the include stands DIGIT_BITS.
#ifndef WAVELANE_SORT_ALIKE
#define WAVELANE_SORT_ALIKE

uvec4 alike(uint digit) {
    uvec4 lanes = subgroupBallot(true);
    [[unroll]] for (uint bit = 0u; bit < DIGIT_BITS; ++bit) {
        bool is_set = (digit >> bit & 1u) != 0u;
        uvec4 set = subgroupBallot(is_set);
        lanes &= is_set ? set : ~set;
    }
    return lanes;
}

#endif
