// One unsigned word: integer sum, prod, and, or, xor (two's complement, so signed too), min and max of every 32-bit type
// as ordered keys, any and all as 0 and 1, last.
#define STATE_WORDS 1
#define RESULT_WORDS 1

struct State { uint value; };

State state_identity() {
    if (OPERATOR == OPERATOR_PROD || OPERATOR == OPERATOR_ALL) return State(1u);
    if (OPERATOR == OPERATOR_MIN || OPERATOR == OPERATOR_AND) return State(0xffffffffu);
    return State(0u);
}

State state_combine(State a, State b) {
    if (OPERATOR == OPERATOR_SUM) return State(a.value + b.value);
    if (OPERATOR == OPERATOR_PROD) return State(a.value * b.value);
    if (OPERATOR == OPERATOR_MIN) return State(min(a.value, b.value));
    if (OPERATOR == OPERATOR_MAX) return State(max(a.value, b.value));
    if (OPERATOR == OPERATOR_AND || OPERATOR == OPERATOR_ALL) return State(a.value & b.value);
    if (OPERATOR == OPERATOR_XOR) return State(a.value ^ b.value);
    if (OPERATOR == OPERATOR_LAST) return State(b.value != 0u ? b.value : a.value);
    return State(a.value | b.value);
}

void state_pack(State s, out uint words[STATE_WORDS]) { words[0] = s.value; }
State state_unpack(uint words[STATE_WORDS]) { return State(words[0]); }

#ifdef Element
#define Pivot uint
Pivot pivot_load(uint i) { return 0u; }

uint element_word(Element e) {
#if defined(ELEMENT_IS_64_BIT)
    return 0u; // unused: 64-bit elements reach this state only for any and all
#elif defined(ELEMENT_F32) || defined(ELEMENT_F16)
    return floatBitsToUint(e);
#else
    return uint(e);
#endif
}

State state_from(Element e, uint index, Pivot pivot) {
    if (IGNORE_NAN != 0u && element_is_nan(e)) return state_identity();
    if (OPERATOR == OPERATOR_ANY || OPERATOR == OPERATOR_ALL) return State(element_is_zero(e) ? 0u : 1u);
    if (OPERATOR == OPERATOR_MIN || OPERATOR == OPERATOR_MAX) {
        // NaN takes the end of the range that wins; that end decodes to NaN again.
        if (element_is_nan(e)) return State(OPERATOR == OPERATOR_MIN ? 0u : 0xffffffffu);
        return State(key_encode(element_word(e), KEY_KIND));
    }
    // Zeros of either sign are none to `last`.
    if (OPERATOR == OPERATOR_LAST && element_is_zero(e)) return State(0u);
    return State(element_word(e));
}
#endif

#ifdef PATH_SUBGROUP
State state_subgroup(State s) {
    if (OPERATOR == OPERATOR_SUM) return State(subgroupAdd(s.value));
    if (OPERATOR == OPERATOR_PROD) return State(subgroupMul(s.value));
    if (OPERATOR == OPERATOR_MIN) return State(subgroupMin(s.value));
    if (OPERATOR == OPERATOR_MAX) return State(subgroupMax(s.value));
    if (OPERATOR == OPERATOR_AND || OPERATOR == OPERATOR_ALL) return State(subgroupAnd(s.value));
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
    bool keyed = OPERATOR == OPERATOR_MIN || OPERATOR == OPERATOR_MAX;
    words[0] = keyed ? key_decode(s.value, KEY_KIND) : s.value;
}
