// One f32: sum, prod, norm1, norm2 and mean. The loop of an invocation adds blocks with compensation (Knuth's TwoSum), so
// the error of a sum does not grow with the number of elements an invocation reads.
#define STATE_WORDS 1
#define RESULT_WORDS 1
#define STATE_HAS_ACCUMULATOR

struct State { float value; };

State state_identity() { return State(OPERATOR == OPERATOR_PROD ? 1.0 : 0.0); }

State state_combine(State a, State b) {
    precise float value = OPERATOR == OPERATOR_PROD ? a.value * b.value : a.value + b.value;
    return State(value);
}

void state_pack(State s, out uint words[STATE_WORDS]) { words[0] = floatBitsToUint(s.value); }
State state_unpack(uint words[STATE_WORDS]) { return State(uintBitsToFloat(words[0])); }

#ifdef Element
#define Pivot uint
Pivot pivot_load(uint i) { return 0u; }

State state_from(Element e, uint index, Pivot pivot) {
    if (IGNORE_NAN != 0u && element_is_nan(e)) return state_identity();
    float x = element_to_float(e);
    if (OPERATOR == OPERATOR_NORM1) x = abs(x);
    if (OPERATOR == OPERATOR_NORM2) {
        x *= float_power_of_two(-int(SCALE_EXPONENT));
        x *= x;
    }
    return State(x);
}
#endif

struct Accumulator { float value; float lost; };

Accumulator accumulator_new() { return Accumulator(state_identity().value, 0.0); }

void accumulator_add(inout Accumulator a, State s) {
    if (OPERATOR == OPERATOR_PROD) {
        a.value *= s.value;
        return;
    }
    precise float sum = a.value + s.value;
    precise float part = sum - a.value;
    precise float lost = (a.value - (sum - part)) + (s.value - part);
    a.value = sum;
    a.lost += lost;
}

State accumulator_state(Accumulator a) {
    // With an infinity in the sum the compensation is not a number: the sum itself is right then.
    return State(float_is_finite(a.lost) ? a.value + a.lost : a.value);
}

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
    float value = s.value;
    if (OPERATOR == OPERATOR_MEAN) value = count == 0u ? uintBitsToFloat(FLOAT_NAN) : value / float(count);
    if (OPERATOR == OPERATOR_NORM2) value = sqrt(value) * float_power_of_two(int(SCALE_EXPONENT));
    words[0] = floatBitsToUint(value);
}
