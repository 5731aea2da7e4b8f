// What is carried from element to element of a scan: the state of what came before (include/state/), and, where there are segments, how
// many of them began. Gives
//   Carry, Carry carry_identity(), Carry carry_new(State s, bool head)
//   Carry carry_combine(Carry a, Carry b)     a before b: associative, and not commutative
//   uint carry_words()                        32-bit words that a carry takes in scratch
// Before the include stand the state, and
//   HAS_HEADS                                 a constant: whether there are segments
// Where there are none, `heads` is a constant 0 that compilers fold away.
#ifndef WAVELANE_SCAN_CARRY
#define WAVELANE_SCAN_CARRY

struct Carry { State state; uint heads; };

Carry carry_identity() { return Carry(state_identity(), 0u); }

Carry carry_new(State s, bool head) { return Carry(s, HAS_HEADS && head ? 1u : 0u); }

Carry carry_combine(Carry a, Carry b) {
    if (!HAS_HEADS) return Carry(state_combine(a.state, b.state), 0u);
    // Nothing passes the beginning of a segment but the number of them.
    State joined = state_combine(a.state, b.state);
    if (b.heads != 0u) joined = b.state;
    return Carry(joined, a.heads + b.heads);
}

uint carry_words() { return uint(STATE_WORDS) + (HAS_HEADS ? 1u : 0u); }

#endif
