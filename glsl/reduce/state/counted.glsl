// A sum and how many elements went into it: the mean that leaves NaN out.
#ifdef STATE_COUNTED64
#define REAL_IS_F64
#endif
#include "reduce/real.glsl"

#define STATE_WORDS (REAL_WORDS + 1)
#define RESULT_WORDS REAL_WORDS

struct State { Real sum; uint count; };

State state_identity() { return State(Real(0.0), 0u); }

State state_combine(State a, State b) {
    precise Real sum = a.sum + b.sum;
    return State(sum, a.count + b.count);
}

void state_pack(State s, out uint words[STATE_WORDS]) {
    uvec2 bits = real_bits(s.sum);
    words[0] = s.count;
    words[1] = bits.x;
#ifdef REAL_IS_F64
    words[2] = bits.y;
#endif
}
State state_unpack(uint words[STATE_WORDS]) {
    uvec2 bits = uvec2(words[1], words[STATE_WORDS - 1]);
    return State(real_from_bits(bits), words[0]);
}

#ifdef Element
#define Pivot uint
Pivot pivot_load(uint i) { return 0u; }

State state_from(Element e, uint index, Pivot pivot) {
    if (IGNORE_NAN != 0u && element_is_nan(e)) return state_identity();
    return State(Real(e), 1u);
}
#endif

#ifdef PATH_SUBGROUP
State state_subgroup(State s) { return State(subgroupAdd(s.sum), subgroupAdd(s.count)); }
#endif

void state_finish(State s, uint count, out uint words[RESULT_WORDS]) {
    uvec2 bits = real_bits(real_mean(s.sum, s.count));
    words[0] = bits.x;
#ifdef REAL_IS_F64
    words[1] = bits.y;
#endif
}
