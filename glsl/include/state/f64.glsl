// One f64, where the device has it: sum, prod, norm1, norm2 and mean of f64, and of integers whose result is asked in f64.
#define STATE_WORDS 2
#define RESULT_WORDS 2

struct State { double value; };

State state_identity() { return State(OPERATOR == OPERATOR_PROD ? 1.0lf : 0.0lf); }

State state_combine(State a, State b) {
    precise double value = OPERATOR == OPERATOR_PROD ? a.value * b.value : a.value + b.value;
    return State(value);
}

void state_pack(State s, out uint words[STATE_WORDS]) {
    uvec2 pair = unpackDouble2x32(s.value);
    words[0] = pair.x;
    words[1] = pair.y;
}
State state_unpack(uint words[STATE_WORDS]) { return State(packDouble2x32(uvec2(words[0], words[1]))); }

#ifdef Element
#define Pivot uint
Pivot pivot_load(uint i) { return 0u; }

State state_from(Element e, uint index, Pivot pivot) {
    if (IGNORE_NAN != 0u && element_is_nan(e)) return state_identity();
    double x = double(e);
    if (OPERATOR == OPERATOR_NORM1) x = abs(x);
    if (OPERATOR == OPERATOR_NORM2) x = x * x;
    return State(x);
}
#endif

#ifdef PATH_SUBGROUP
State state_subgroup(State s) {
    if (OPERATOR == OPERATOR_PROD) return State(subgroupMul(s.value));
    return State(subgroupAdd(s.value));
}

State state_subgroup_exclusive(State s) {
    if (OPERATOR == OPERATOR_PROD) return State(subgroupExclusiveMul(s.value));
    return State(subgroupExclusiveAdd(s.value));
}
#endif

void state_finish(State s, uint count, out uint words[RESULT_WORDS]) {
    double value = s.value;
    if (OPERATOR == OPERATOR_MEAN) value = count == 0u ? packDouble2x32(DOUBLE_NAN) : value / double(count);
    if (OPERATOR == OPERATOR_NORM2) value = sqrt(value);
    uvec2 pair = unpackDouble2x32(value);
    words[0] = pair.x;
    words[1] = pair.y;
}
