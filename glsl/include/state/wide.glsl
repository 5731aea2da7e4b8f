// A sum of 32-bit integers kept in two words, for devices without 64-bit integers too: exact for up to 2^32 elements.
// OPERATOR_SUM stores both words (a 64-bit integer, low word first), OPERATOR_MEAN divides by the count.
#define STATE_WORDS 2
#define RESULT_WORDS 2
#define RESULT_WORDS_STORED (OPERATOR == OPERATOR_SUM ? 2u : 1u)

struct State { uint low; uint high; };

State state_identity() { return State(0u, 0u); }

State state_combine(State a, State b) {
    uint carry;
    uint low = uaddCarry(a.low, b.low, carry);
    return State(low, a.high + b.high + carry);
}

void state_pack(State s, out uint words[STATE_WORDS]) {
    words[0] = s.low;
    words[1] = s.high;
}
State state_unpack(uint words[STATE_WORDS]) { return State(words[0], words[1]); }

#ifdef Element
#define Pivot uint
Pivot pivot_load(uint i) { return 0u; }

State state_from(Element e, uint index, Pivot pivot) {
#if defined(ELEMENT_I32) || defined(ELEMENT_SMALL)
    return State(uint(e), uint(e >> 31));
#else
    return State(e, 0u);
#endif
}
#endif

#ifdef PATH_SUBGROUP
State state_subgroup(State s) {
    // Sums of 16-bit halves cannot overflow a word in a subgroup of up to 65536 lanes.
    uint low = subgroupAdd(s.low & 0xffffu);
    uint middle = subgroupAdd(s.low >> 16) + (low >> 16);
    uint high = subgroupAdd(s.high) + (middle >> 16);
    return State((middle << 16) | (low & 0xffffu), high);
}

State state_subgroup_exclusive(State s) {
    uint low = subgroupExclusiveAdd(s.low & 0xffffu);
    uint middle = subgroupExclusiveAdd(s.low >> 16) + (low >> 16);
    uint high = subgroupExclusiveAdd(s.high) + (middle >> 16);
    return State((middle << 16) | (low & 0xffffu), high);
}
#endif

void state_finish(State s, uint count, out uint words[RESULT_WORDS]) {
    words[0] = s.low;
    words[1] = s.high;
    if (OPERATOR == OPERATOR_MEAN) {
        // KEY_KIND tells signed from unsigned. The magnitude is converted, so that no digit is lost near zero.
        bool negative = KEY_KIND == KEY_SIGNED && (s.high & 0x80000000u) != 0u;
        uint low = negative ? ~s.low + 1u : s.low;
        uint high = negative ? ~s.high + (low == 0u ? 1u : 0u) : s.high;
        float magnitude = float(high) * 4294967296.0 + float(low);
        float value = (negative ? -magnitude : magnitude) / float(count);
        words[0] = count == 0u ? FLOAT_NAN : floatBitsToUint(value);
    }
}
