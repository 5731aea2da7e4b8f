// How the invocations of a workgroup find what came before each of them, chosen by PATH_<PATH>. Carries are put into numbered slots, and
// afterwards each slot has all the carries of the slots before it:
//   void exchange_put(uint slot, Carry c)
//   void exchange_scan(uint slots)            with barriers, in uniform control flow; `slots` is at most 8 an invocation
//   Carry exchange_prefix(uint slot)          the carries of all slots before this one
//   Carry exchange_total()                    the carries of all slots
// Before slots are put again, every invocation passes a barrier() behind its last prefix and total. Before the include stand
//   WORKGROUP_SIZE                            invocations of the workgroup: a constant
//   EXCHANGE_SLOTS, EXCHANGE_HEAD_SLOTS       words that shared memory holds: as ExchangeSlots in src/scan/exchange.rs counts
//   CARRY_HAS_ARITHMETIC                      a constant: whether subgroup arithmetic knows the carry's operator
#ifndef WAVELANE_SCAN_EXCHANGE
#define WAVELANE_SCAN_EXCHANGE

// One array a word: neighbours in a slot are neighbours in memory.
shared uint exchange_words[STATE_WORDS][EXCHANGE_SLOTS];
shared uint exchange_heads[EXCHANGE_HEAD_SLOTS];

void exchange_store(uint at, Carry c) {
    uint words[STATE_WORDS];
    state_pack(c.state, words);
    for (int w = 0; w < STATE_WORDS; ++w) exchange_words[w][at] = words[w];
    if (HAS_HEADS) exchange_heads[at] = c.heads;
}

Carry exchange_load(uint at) {
    uint words[STATE_WORDS];
    for (int w = 0; w < STATE_WORDS; ++w) words[w] = exchange_words[w][at];
    return Carry(state_unpack(words), HAS_HEADS ? exchange_heads[at] : 0u);
}

#include "include/scan/exchange/tree.glsl"
#if defined(PATH_SUBGROUP) || defined(PATH_SHUFFLE)
#include "include/scan/exchange/lanes.glsl"
#elif !defined(PATH_SHARED_MEMORY)
#error "define PATH_SHARED_MEMORY, PATH_SUBGROUP or PATH_SHUFFLE"
#endif

// Whether lanes of a subgroup meet without shared memory. A path of subgroup arithmetic serves operators that it does not know by the tree.
bool exchange_by_lanes() {
#if defined(PATH_SHUFFLE)
    return true;
#elif defined(PATH_SUBGROUP)
    return CARRY_HAS_ARITHMETIC;
#else
    return false;
#endif
}

void exchange_put(uint slot, Carry c) {
#ifndef PATH_SHARED_MEMORY
    if (exchange_by_lanes()) {
        exchange_store(lanes_at(slot), c);
        return;
    }
#endif
    exchange_store(tree_at(slot), c);
}

void exchange_scan(uint slots) {
    barrier();
#ifndef PATH_SHARED_MEMORY
    if (exchange_by_lanes()) {
        lanes_scan(slots);
        return;
    }
#endif
    tree_scan(slots);
}

Carry exchange_prefix(uint slot) {
#ifndef PATH_SHARED_MEMORY
    if (exchange_by_lanes()) return lanes_prefix(slot);
#endif
    return tree_prefix(slot);
}

Carry exchange_total() {
#ifndef PATH_SHARED_MEMORY
    if (exchange_by_lanes()) return lanes_total();
#endif
    return tree_total();
}

#endif
