// From the state of everything up to an element to the words that are stored.
#ifndef WAVELANE_SCAN_RESULT
#define WAVELANE_SCAN_RESULT

// The initial value as the host gives it: an element in registers, bit by bit.
State initial_state(uint low, uint high) {
#if defined(ELEMENT_U64)
    Element e = packUint2x32(uvec2(low, high));
#elif defined(ELEMENT_F64)
    Element e = packDouble2x32(uvec2(low, high));
#elif defined(ELEMENT_F32) || defined(ELEMENT_F16)
    Element e = uintBitsToFloat(low);
#else
    Element e = Element(low);
#endif
    return state_from(e, 0u, pivot_load(0u));
}

void result_words(State s, out uint words[RESULT_WORDS]) {
    state_finish(s, 0u, words);
    // The least of no floats is infinity, and so is the greatest; their keys stand for NaN otherwise.
    bool keyed = KEY_KIND == KEY_FLOAT && (OPERATOR == OPERATOR_MIN || OPERATOR == OPERATOR_MAX);
#if defined(STATE_U32)
    if (keyed && s.value == state_identity().value) words[0] = OPERATOR == OPERATOR_MIN ? 0x7f800000u : 0xff800000u;
#elif defined(STATE_U64)
    if (keyed && s.value == state_identity().value) {
        words[0] = 0u;
        words[1] = OPERATOR == OPERATOR_MIN ? 0x7ff00000u : 0xfff00000u;
    }
#endif
}

#endif
