// How many: one unsigned word, and sums of it. For kernels that count and have no elements to combine.
#define STATE_WORDS 1

struct State { uint value; };

State state_identity() { return State(0u); }
State state_combine(State a, State b) { return State(a.value + b.value); }

void state_pack(State s, out uint words[STATE_WORDS]) { words[0] = s.value; }
State state_unpack(uint words[STATE_WORDS]) { return State(words[0]); }

#ifdef PATH_SUBGROUP
State state_subgroup_exclusive(State s) { return State(subgroupExclusiveAdd(s.value)); }
#endif
