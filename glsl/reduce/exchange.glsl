// How the invocations of a workgroup combine their states, chosen by PATH_<PATH>. Gives
//   State exchange_workgroup(State s)     all invocations' states; right in the leader
//   bool exchange_leader()                the one invocation that holds the result
//   void exchange_put(uint slot, State s), State exchange_get(uint slot)
// and on the subgroup and shuffle paths
//   State exchange_subgroup(State s)      the subgroup's states; right in every lane
// or on the shared-memory path
//   State exchange_tree(State s, uint slot, uint lane, uint step, uint lanes)
// A kernel says with EXCHANGE_SLOTS how many states it needs room for. Between two exchanges stands a barrier().
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

#if defined(PATH_SHARED_MEMORY)
#include "reduce/exchange/shared_memory.glsl"
#elif defined(PATH_SUBGROUP) || defined(PATH_SHUFFLE)
#include "reduce/exchange/subgroup.glsl"
#else
#error "define PATH_SHARED_MEMORY, PATH_SUBGROUP or PATH_SHUFFLE"
#endif

#endif
