// Where in a tile its keys go, sorted by four bits. Before the include stand tile.glsl and the exchange of counts.
#ifndef WAVELANE_SORT_RANK
#define WAVELANE_SORT_RANK

// Of the sixteen values of four bits one counter each an invocation, two to a word: value v in the lower half and v + 8 in the upper one of word v. A tile has fewer than 2^16 keys.
shared uint counters[COUNTER_SLOTS];

// The counter's words run through all invocations for each value; every eighth word is left out against bank conflicts.
uint counter_word(uint i) { return i + i / 8u; }

// From the four bits of each of this invocation's keys: where they go. With barriers, in uniform control flow.
void rank(uint values[MOST_KEYS], out uint ranks[MOST_KEYS]) {
    uint lane = gl_LocalInvocationIndex;
    for (uint v = 0u; v < 8u; ++v) counters[counter_word(v * WORKGROUP_SIZE + lane)] = 0u;
    for (uint j = 0u; j < KEYS_EACH; ++j) {
        uint word = counter_word((values[j] & 7u) * WORKGROUP_SIZE + lane);
        uint half_shift = (values[j] & 8u) * 2u;
        uint count = counters[word];
        ranks[j] = (count >> half_shift) & 0xffffu;
        counters[word] = count + (1u << half_shift);
    }
    barrier();
    uint sum = 0u;
    for (uint k = 0u; k < 8u; ++k) sum += counters[counter_word(lane * 8u + k)];
    exchange_put(lane, Carry(State(sum), 0u));
    exchange_scan(WORKGROUP_SIZE);
    uint total = exchange_total().state.value;
    // Values of the upper halves come behind all of the lower ones.
    uint before = exchange_prefix(lane).state.value + (total << 16u);
    for (uint k = 0u; k < 8u; ++k) {
        uint word = counter_word(lane * 8u + k);
        uint count = counters[word];
        counters[word] = before;
        before += count;
    }
    barrier();
    for (uint j = 0u; j < KEYS_EACH; ++j) {
        uint word = counter_word((values[j] & 7u) * WORKGROUP_SIZE + lane);
        ranks[j] += (counters[word] >> ((values[j] & 8u) * 2u)) & 0xffffu;
    }
    barrier();
}

#endif
