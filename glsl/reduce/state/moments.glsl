// Count, mean and sum of squared deviations, merged pairwise: variance without the difference of squares.
// Source: T. F. Chan, G. H. Golub, R. J. LeVeque, "Updating formulae and a pairwise algorithm for computing sample
// variances", 1979.
#ifdef STATE_MOMENTS64
#define REAL_IS_F64
#endif
#include "reduce/real.glsl"

#define STATE_WORDS (2 * REAL_WORDS + 1)
#define RESULT_WORDS REAL_WORDS

struct State { uint count; Real mean; Real deviation; };

State state_identity() { return State(0u, Real(0.0), Real(0.0)); }

State state_combine(State a, State b) {
    // With nothing on one side there is nothing to merge, and the square of the distance to nothing may overflow.
    if (a.count == 0u) return b;
    if (b.count == 0u) return a;
    uint count = a.count + b.count;
    Real weight = Real(b.count) / Real(count);
    precise Real delta = b.mean - a.mean;
    precise Real mean = a.mean + delta * weight;
    precise Real deviation = a.deviation + b.deviation + delta * delta * (Real(a.count) * weight);
    return State(count, mean, deviation);
}

// The state from deviations (and their squares) from a mean that was rounded: what the rounding adds is taken off again.
State state_corrected(uint count, Real mean, Real first, Real second) {
    Real off = count == 0u ? Real(0.0) : first / Real(count);
    precise Real deviation = second;
    precise Real excess = first * off;
    // Where it is not finite, so is the deviation, and their difference is not a number.
    if (real_is_finite(excess)) deviation -= excess;
    if (real_is_negative(deviation)) deviation = Real(0.0);
    return State(count, mean + off, deviation);
}

void state_pack(State s, out uint words[STATE_WORDS]) {
    uvec2 mean = real_bits(s.mean);
    uvec2 deviation = real_bits(s.deviation);
    words[0] = s.count;
    words[1] = mean.x;
    words[2] = deviation.x;
#ifdef REAL_IS_F64
    words[3] = mean.y;
    words[4] = deviation.y;
#endif
}
State state_unpack(uint words[STATE_WORDS]) {
    uvec2 mean = uvec2(words[1], words[STATE_WORDS - 2]);
    uvec2 deviation = uvec2(words[2], words[STATE_WORDS - 1]);
    return State(words[0], real_from_bits(mean), real_from_bits(deviation));
}

#ifdef Element
// Elements are taken relative to the first of their row, so that digits which all of them share are not lost to rounding.
#ifdef ELEMENT_IS_INTEGER
#define Pivot Element
Pivot pivot_from(Element e) { return e; }
#else
#define Pivot Real
Pivot pivot_from(Element e) {
    Real first = Real(e);
    return real_is_finite(first) ? first : Real(0.0);
}
#endif

#ifndef STATE_HAS_NO_PIVOTS
// The slice of the input at axis index 0.
layout(set = 0, binding = 3, std430) readonly buffer Pivots { uint pivot_words[]; };

Pivot pivot_load(uint i) {
#if defined(ELEMENT_U64) || defined(ELEMENT_I64)
    return pivot_from(Element(packUint2x32(uvec2(pivot_words[2u * i], pivot_words[2u * i + 1u]))));
#elif defined(ELEMENT_F64)
    return pivot_from(packDouble2x32(uvec2(pivot_words[2u * i], pivot_words[2u * i + 1u])));
#elif defined(ELEMENT_SMALL)
    return pivot_from(small_of(pivot_words[i / (32u / ELEMENT_BITS)], i));
#elif defined(ELEMENT_F16)
    vec2 pair = unpackHalf2x16(pivot_words[i >> 1]);
    return pivot_from((i & 1u) == 0u ? pair.x : pair.y);
#elif defined(ELEMENT_F32)
    return pivot_from(uintBitsToFloat(pivot_words[i]));
#else
    return pivot_from(Element(pivot_words[i]));
#endif
}
#endif

#ifdef ELEMENT_IS_INTEGER
// Unsigned subtraction of the smaller from the larger: no difference overflows, whatever the sign.
Real relative(Element e, Pivot pivot) {
#ifdef ELEMENT_IS_64_BIT
    uint64_t distance = e >= pivot ? uint64_t(e) - uint64_t(pivot) : uint64_t(pivot) - uint64_t(e);
#else
    uint distance = e >= pivot ? uint(e) - uint(pivot) : uint(pivot) - uint(e);
#endif
    Real magnitude = Real(distance) * Real(float_power_of_two(-int(SCALE_EXPONENT)));
    return e >= pivot ? magnitude : -magnitude;
}
#else
Real relative(Element e, Pivot pivot) {
    precise Real distance = Real(e) - pivot;
    return distance;
}
#endif

State state_from(Element e, uint index, Pivot pivot) {
    if (IGNORE_NAN != 0u && element_is_nan(e)) return state_identity();
    // An infinity deviates from itself by NaN, as inf − inf does.
    Real x = relative(e, pivot);
    return State(1u, x, real_is_finite(x) ? Real(0.0) : real_nan());
}

// A whole quad at once, in two passes over registers: one division instead of one an element.
#define STATE_HAS_BLOCK
State state_from_quad(Element e[ELEMENTS_PER_QUAD], uint index, Pivot pivot) {
    Real value[ELEMENTS_PER_QUAD];
    uint count = 0u;
    precise Real sum = Real(0.0);
    for (uint k = 0u; k < ELEMENTS_PER_QUAD; ++k) {
        bool counts = IGNORE_NAN == 0u || !element_is_nan(e[k]);
        value[k] = counts ? relative(e[k], pivot) : Real(0.0);
        sum += value[k];
        count += counts ? 1u : 0u;
    }
    Real mean = count == 0u ? Real(0.0) : sum / Real(count);
    precise Real first = Real(0.0);
    precise Real second = Real(0.0);
    for (uint k = 0u; k < ELEMENTS_PER_QUAD; ++k) {
        bool counts = IGNORE_NAN == 0u || !element_is_nan(e[k]);
        Real d = counts ? value[k] - mean : Real(0.0);
        first += d;
        second += d * d;
    }
    return state_corrected(count, mean, first, second);
}
#endif

#ifdef PATH_SUBGROUP
State state_subgroup(State s) {
    uint count = subgroupAdd(s.count);
    Real weight = count == 0u ? Real(0.0) : Real(s.count) / Real(count);
    Real mean = subgroupAdd(s.mean * weight);
    // A lane without elements has no mean of its own to deviate from.
    Real delta = s.count == 0u ? Real(0.0) : s.mean - mean;
    Real first = subgroupAdd(Real(s.count) * delta);
    Real second = subgroupAdd(s.deviation + Real(s.count) * delta * delta);
    return state_corrected(count, mean, first, second);
}
#endif

void state_finish(State s, uint count, out uint words[RESULT_WORDS]) {
    uvec2 bits = real_bits(real_mean(s.deviation, s.count) * Real(float_power_of_two(2 * int(SCALE_EXPONENT))));
    words[0] = bits.x;
#ifdef REAL_IS_F64
    words[1] = bits.y;
#endif
}
