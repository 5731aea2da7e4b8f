// What a reduction carries, chosen by STATE_<KIND>. Each file gives
//   State, STATE_WORDS                        the state, and how many 32-bit words it packs into
//   State state_identity()
//   State state_combine(State a, State b)     commutative
//   void state_pack(State s, out uint words[STATE_WORDS]); State state_unpack(uint words[STATE_WORDS])
//   State state_from(Element e, uint index, Pivot pivot)      where the kernel has elements
//   State state_subgroup(State s)             all lanes' states combined, on the subgroup path
//   RESULT_WORDS, void state_finish(State s, float/uint count, out uint words[RESULT_WORDS])
#ifndef WAVELANE_REDUCE_STATE
#define WAVELANE_REDUCE_STATE

#include "include/float_bits.glsl"
#include "include/key.glsl"

#if defined(STATE_U32)
#include "include/state/u32.glsl"
#elif defined(STATE_U64)
#include "include/state/u64.glsl"
#elif defined(STATE_WIDE)
#include "include/state/wide.glsl"
#elif defined(STATE_F32)
#include "include/state/f32.glsl"
#elif defined(STATE_F64)
#include "include/state/f64.glsl"
#elif defined(STATE_COUNTED32) || defined(STATE_COUNTED64)
#include "reduce/state/counted.glsl"
#elif defined(STATE_MOMENTS32) || defined(STATE_MOMENTS64)
#include "reduce/state/moments.glsl"
#elif defined(STATE_ARG32)
#include "reduce/state/arg32.glsl"
#elif defined(STATE_ARG64)
#include "reduce/state/arg64.glsl"
#else
#error "define one STATE_<KIND>"
#endif

// States of one element after another, folded pairwise where that is more accurate; see accumulator.glsl.
#ifdef Element
#ifndef STATE_HAS_BLOCK
State state_from_quad(Element e[ELEMENTS_PER_QUAD], uint index, Pivot pivot) {
    State even = state_from(e[0], index, pivot);
    State odd = state_from(e[1], index + 1u, pivot);
    for (uint k = 2u; k < ELEMENTS_PER_QUAD; k += 2u) {
        even = state_combine(even, state_from(e[k], index + k, pivot));
        odd = state_combine(odd, state_from(e[k + 1u], index + k + 1u, pivot));
    }
    return state_combine(even, odd);
}
#endif
#endif

#ifndef STATE_HAS_ACCUMULATOR
// What an invocation carries through its loop; more than the state only where that keeps digits.
#define Accumulator State
Accumulator accumulator_new() { return state_identity(); }
void accumulator_add(inout Accumulator a, State s) { a = state_combine(a, s); }
State accumulator_state(Accumulator a) { return a; }
#endif

#endif
