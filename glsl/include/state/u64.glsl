// One unsigned 64-bit value, where the device has 64-bit integers: as u32.glsl, for 64-bit elements.
#define STATE_WORDS 2
#define RESULT_WORDS 2

struct State { uint64_t value; };

const uint64_t ALL_ONES = 0xfffffffffffffffful;

State state_identity() {
    if (OPERATOR == OPERATOR_PROD) return State(uint64_t(1u));
    if (OPERATOR == OPERATOR_MIN || OPERATOR == OPERATOR_AND) return State(ALL_ONES);
    return State(uint64_t(0u));
}

State state_combine(State a, State b) {
    if (OPERATOR == OPERATOR_SUM) return State(a.value + b.value);
    if (OPERATOR == OPERATOR_PROD) return State(a.value * b.value);
    if (OPERATOR == OPERATOR_MIN) return State(min(a.value, b.value));
    if (OPERATOR == OPERATOR_MAX) return State(max(a.value, b.value));
    if (OPERATOR == OPERATOR_AND) return State(a.value & b.value);
    if (OPERATOR == OPERATOR_XOR) return State(a.value ^ b.value);
    if (OPERATOR == OPERATOR_LAST) return State(b.value != uint64_t(0u) ? b.value : a.value);
    return State(a.value | b.value);
}

void state_pack(State s, out uint words[STATE_WORDS]) {
    uvec2 pair = unpackUint2x32(s.value);
    words[0] = pair.x;
    words[1] = pair.y;
}
State state_unpack(uint words[STATE_WORDS]) { return State(packUint2x32(uvec2(words[0], words[1]))); }

#ifdef Element
#define Pivot uint
Pivot pivot_load(uint i) { return 0u; }

uvec2 element_pair(Element e) {
#ifdef ELEMENT_F64
    return unpackDouble2x32(e);
#else
    return unpackUint2x32(uint64_t(e));
#endif
}

State state_from(Element e, uint index, Pivot pivot) {
    uvec2 bits = element_pair(e);
    if (OPERATOR == OPERATOR_MIN || OPERATOR == OPERATOR_MAX) {
        if (element_is_nan(e)) {
            bool wins_low = OPERATOR == OPERATOR_MIN;
            if (IGNORE_NAN != 0u) wins_low = !wins_low;
            return State(wins_low ? uint64_t(0u) : ALL_ONES);
        }
        bits = key_encode_pair(bits, KEY_KIND);
    }
    if (OPERATOR == OPERATOR_LAST && element_is_zero(e)) return State(uint64_t(0u));
    return State(packUint2x32(bits));
}
#endif

#ifdef PATH_SUBGROUP
State state_subgroup(State s) {
    if (OPERATOR == OPERATOR_SUM) return State(subgroupAdd(s.value));
    if (OPERATOR == OPERATOR_PROD) return State(subgroupMul(s.value));
    if (OPERATOR == OPERATOR_MIN) return State(subgroupMin(s.value));
    if (OPERATOR == OPERATOR_MAX) return State(subgroupMax(s.value));
    if (OPERATOR == OPERATOR_AND) return State(subgroupAnd(s.value));
    if (OPERATOR == OPERATOR_XOR) return State(subgroupXor(s.value));
    return State(subgroupOr(s.value));
}

State state_subgroup_exclusive(State s) {
    if (OPERATOR == OPERATOR_SUM) return State(subgroupExclusiveAdd(s.value));
    if (OPERATOR == OPERATOR_PROD) return State(subgroupExclusiveMul(s.value));
    if (OPERATOR == OPERATOR_MIN) return State(subgroupExclusiveMin(s.value));
    if (OPERATOR == OPERATOR_MAX) return State(subgroupExclusiveMax(s.value));
    if (OPERATOR == OPERATOR_AND) return State(subgroupExclusiveAnd(s.value));
    if (OPERATOR == OPERATOR_XOR) return State(subgroupExclusiveXor(s.value));
    return State(subgroupExclusiveOr(s.value));
}
#endif

void state_finish(State s, uint count, out uint words[RESULT_WORDS]) {
    uvec2 pair = unpackUint2x32(s.value);
    if (OPERATOR == OPERATOR_MIN || OPERATOR == OPERATOR_MAX) pair = key_decode_pair(pair, KEY_KIND);
    words[0] = pair.x;
    words[1] = pair.y;
}
