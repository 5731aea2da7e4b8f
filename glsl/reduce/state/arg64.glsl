// As arg32.glsl with the key in two words: needs no 64-bit arithmetic.
#define STATE_WORDS 3
#define RESULT_WORDS 1

struct State { uint low; uint high; uint index; };

State state_identity() { return State(0xffffffffu, 0xffffffffu, 0xffffffffu); }

bool state_before(State a, State b) {
    if (a.high != b.high) return a.high < b.high;
    if (a.low != b.low) return a.low < b.low;
    return a.index < b.index;
}

State state_combine(State a, State b) {
    bool take_b = state_before(b, a);
    return State(take_b ? b.low : a.low, take_b ? b.high : a.high, take_b ? b.index : a.index);
}

void state_pack(State s, out uint words[STATE_WORDS]) {
    words[0] = s.low;
    words[1] = s.high;
    words[2] = s.index;
}
State state_unpack(uint words[STATE_WORDS]) { return State(words[0], words[1], words[2]); }

#ifdef Element
#define Pivot uint
Pivot pivot_load(uint i) { return 0u; }

State state_from(Element e, uint index, Pivot pivot) {
    if (IGNORE_NAN != 0u && element_is_nan(e)) return state_identity();
    if (element_is_nan(e)) return State(0u, 0u, index);
#ifdef ELEMENT_F64
    uvec2 bits = element_is_zero(e) ? uvec2(0u) : unpackDouble2x32(e);
#else
    uvec2 bits = unpackUint2x32(uint64_t(e));
#endif
    uvec2 key = key_encode_pair(bits, KEY_KIND);
    if (OPERATOR == OPERATOR_ARGMAX) key = ~key;
    return State(key.x, key.y, index);
}
#endif

#ifdef PATH_SUBGROUP
State state_subgroup(State s) {
    uint high = subgroupMin(s.high);
    uint low = subgroupMin(s.high == high ? s.low : 0xffffffffu);
    bool holds = s.high == high && s.low == low;
    return State(low, high, subgroupMin(holds ? s.index : 0xffffffffu));
}
#endif

void state_finish(State s, uint count, out uint words[RESULT_WORDS]) { words[0] = s.index; }
