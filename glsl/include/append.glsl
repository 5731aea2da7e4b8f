// Appending to a list and consuming from it, with one atomic a workgroup. Before the include stand
//   PATH_<PATH>                          how the invocations of a workgroup count themselves
//   WORKGROUP_SIZE                       invocations of the workgroup: a constant
//   APPEND_COUNTER, CONSUME_COUNTER      either or both: a uint of a `coherent` storage buffer, such as counters[0]
// and then there are
//   uint append_slot(bool takes)         where in the list this invocation's element goes; meant only where `takes`
//   uint consume_slot(bool wants)        which element of the list this invocation has; meant only where `wants`
// Every invocation of the workgroup calls them, in uniform control flow. Slots follow the order of invocations within a
// workgroup and the arrival of workgroups between them, so the list's order is another one in each run.
//
// Nothing is checked against a capacity or a length: a slot from the list's capacity on has no room, and is not to be
// written; a slot from the list's length on holds no element. Counters keep counting then, so what did not fit is seen
// afterwards (glsl/dispatch_arguments), and no counter ever goes back. They wrap at 2^32. Whoever begins a list sets its counters
// to zero, by a fill and a barrier. A list is consumed in a later dispatch than it is appended to, behind a barrier.
#ifndef WAVELANE_APPEND
#define WAVELANE_APPEND

// The first slot that the workgroup got.
shared uint append_base;

#if defined(PATH_SHARED_MEMORY)
#include "include/append/shared_memory.glsl"
#elif defined(PATH_SUBGROUP) || defined(PATH_SHUFFLE)
#include "include/append/subgroup.glsl"
#else
#error "define PATH_SHARED_MEMORY, PATH_SUBGROUP or PATH_SHUFFLE"
#endif

// append_rank() ends with a barrier behind it for one invocation at least, and what it shares is not touched again before
// the next call's first barrier; so is append_base.
#ifdef APPEND_COUNTER
uint append_slot(bool takes) {
    uint total;
    uint rank = append_rank(takes, total);
    if (append_leader()) append_base = total == 0u ? 0u : atomicAdd(APPEND_COUNTER, total);
    barrier();
    return append_base + rank;
}
#endif

#ifdef CONSUME_COUNTER
uint consume_slot(bool wants) {
    uint total;
    uint rank = append_rank(wants, total);
    if (append_leader()) append_base = total == 0u ? 0u : atomicAdd(CONSUME_COUNTER, total);
    barrier();
    return append_base + rank;
}
#endif

#endif
