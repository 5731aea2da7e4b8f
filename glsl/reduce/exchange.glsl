// How the invocations of a workgroup combine their states, chosen by PATH_<PATH>. Gives
//   State exchange_workgroup(State s)     all invocations' states; right in the leader
//   bool exchange_leader()                the one invocation that holds the result
//   void exchange_put(uint slot, State s), State exchange_get(uint slot)
// and on the subgroup and shuffle paths
//   State exchange_subgroup(State s)      the subgroup's states; right in every lane
// and on any path
//   uint exchange_number()                this invocation's number, in whose order exchange_lanes takes neighbours
//   State exchange_lanes(State s, uint lane, uint lanes)      neighbouring invocations' states; right in lane 0
//   State exchange_tree(State s, uint slot, uint lane, uint step, uint lanes)
// Between two exchanges stands a barrier().
#ifndef WAVELANE_REDUCE_EXCHANGE
#define WAVELANE_REDUCE_EXCHANGE

// One array a word of the state: neighbours in a slot are neighbours in memory, so there are no bank conflicts.
shared uint exchange_words[STATE_WORDS][EXCHANGE_SLOTS];

void exchange_put(uint slot, State s) {
    uint words[STATE_WORDS];
    state_pack(s, words);
    for (int w = 0; w < STATE_WORDS; ++w) exchange_words[w][slot] = words[w];
}

State exchange_get(uint slot) {
    uint words[STATE_WORDS];
    for (int w = 0; w < STATE_WORDS; ++w) words[w] = exchange_words[w][slot];
    return state_unpack(words);
}

// A tree in shared memory. Each round combines four slots into one: half the barriers of a binary tree.
//
// Combines the states of `lanes` invocations, whose slots lie `step` apart; right in lane 0. Every invocation of the
// workgroup calls it, with the same `step` and `lanes`; those that take no part pass a lane from `lanes` on.
State exchange_tree(State s, uint slot, uint lane, uint step, uint lanes) {
    exchange_put(slot, s);
    barrier();
    for (uint width = lanes; width > 1u;) {
        uint quarter = (width + 3u) / 4u;
        if (lane < quarter) {
            for (uint other = lane + quarter; other < width; other += quarter)
                s = state_combine(s, exchange_get(slot + (other - lane) * step));
            // No other invocation reads this slot in this round, so no barrier is needed before it is written.
            exchange_put(slot, s);
        }
        width = quarter;
        if (width > 1u) barrier();
    }
    return s;
}

#if defined(PATH_SHARED_MEMORY)
#include "reduce/exchange/shared_memory.glsl"
#elif defined(PATH_SUBGROUP) || defined(PATH_SHUFFLE)
#include "reduce/exchange/subgroup.glsl"
#else
#error "define PATH_SHARED_MEMORY, PATH_SUBGROUP or PATH_SHUFFLE"
#endif

#endif
