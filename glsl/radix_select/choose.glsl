// Finds the value of a digit whose keys lie at a place of the order. Before the include stand scan/exchange.glsl for sums of counts, and
//   uint count_of(uint value)         how many keys have it
#ifndef WAVELANE_RADIX_SELECT_CHOOSE
#define WAVELANE_RADIX_SELECT_CHOOSE

// The value, and the place among its keys.
shared uint chosen[2];

// With barriers, in uniform control flow: `chosen` is there behind it, until all have passed another barrier.
void choose(uint place) {
    const uint EACH = (VALUES + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
    uint lane = gl_LocalInvocationIndex;
    if (lane == 0u) {
        chosen[0] = 0u;
        chosen[1] = 0u;
    }
    uint own = lane * EACH;
    uint sum = 0u;
    for (uint i = 0u; i < EACH; ++i)
        if (own + i < VALUES) sum += count_of(own + i);
    exchange_put(lane, Carry(State(sum), 0u));
    exchange_scan(WORKGROUP_SIZE);
    uint before = exchange_prefix(lane).state.value;
    if (before <= place && place - before < sum) {
        uint left = place - before;
        uint value = own;
        for (uint count = count_of(value); count <= left && value + 1u < VALUES; count = count_of(value)) {
            left -= count;
            ++value;
        }
        chosen[0] = value;
        chosen[1] = left;
    }
    barrier();
}

#endif
