// The least key and the lowest index that has it. For argmax keys are complemented, so the least key is the greatest element.
#define STATE_WORDS 2
#define RESULT_WORDS 1

struct State { uint key; uint index; };

State state_identity() { return State(0xffffffffu, 0xffffffffu); }

State state_combine(State a, State b) {
    bool take_b = b.key < a.key || (b.key == a.key && b.index < a.index);
    return State(take_b ? b.key : a.key, take_b ? b.index : a.index);
}

void state_pack(State s, out uint words[STATE_WORDS]) {
    words[0] = s.key;
    words[1] = s.index;
}
State state_unpack(uint words[STATE_WORDS]) { return State(words[0], words[1]); }

#ifdef Element
#define Pivot uint
Pivot pivot_load(uint i) { return 0u; }

State state_from(Element e, uint index, Pivot pivot) {
    // The first NaN wins as in numpy, or NaN never does.
    if (element_is_nan(e)) return IGNORE_NAN != 0u ? state_identity() : State(0u, index);
#if defined(ELEMENT_F32) || defined(ELEMENT_F16)
    // -0 and +0 are equal, so the first of either wins.
    uint bits = element_is_zero(e) ? 0u : floatBitsToUint(e);
#else
    uint bits = uint(e);
#endif
    uint key = key_encode(bits, KEY_KIND);
    return State(OPERATOR == OPERATOR_ARGMAX ? ~key : key, index);
}
#endif

#ifdef PATH_SUBGROUP
State state_subgroup(State s) {
    uint key = subgroupMin(s.key);
    return State(key, subgroupMin(s.key == key ? s.index : 0xffffffffu));
}
#endif

void state_finish(State s, uint count, out uint words[RESULT_WORDS]) { words[0] = s.index; }
