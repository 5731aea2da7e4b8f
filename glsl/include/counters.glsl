// Counters that a shader raises while it runs, to find out what it does: how often a branch is taken, how many elements
// are passed over. Gives
//   void counter_add(uint counter, uint n)      adds n to a counter, from any invocation and in any control flow
// To be defined before:
//   COUNTERS_BINDING      the binding of their storage buffer. Without it nothing is bound or counted, and calls cost nothing.
//   COUNTERS_SET          its descriptor set; 0 if not defined.
// On the host `ShaderCounters` of wavelane-record has the buffer: two words a counter, the low one first. A counter that the
// buffer does not have is passed over. What is the same in a whole workgroup is best added by one invocation of it.
#ifndef WAVELANE_COUNTERS
#define WAVELANE_COUNTERS

#ifdef COUNTERS_BINDING
#ifndef COUNTERS_SET
#define COUNTERS_SET 0
#endif

layout(set = COUNTERS_SET, binding = COUNTERS_BINDING, std430) buffer CounterWords { uint counter_words[]; };

void counter_add(uint counter, uint n) {
    if (counter >= uint(counter_words.length()) / 2u) return;
    uint before = atomicAdd(counter_words[2u * counter], n);
    // Each time that the low word runs over it is one invocation that sees it, whatever others add meanwhile.
    if (before + n < before) atomicAdd(counter_words[2u * counter + 1u], 1u);
}
#else
void counter_add(uint counter, uint n) {}
#endif

#endif
