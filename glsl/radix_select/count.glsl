// Counts the keys of a line by the value of a digit, in shared memory. Before the include stands keys.glsl.
#ifndef WAVELANE_RADIX_SELECT_COUNT
#define WAVELANE_RADIX_SELECT_COUNT

shared uint counters[COUNTER_SLOTS];

void counters_clear() {
    for (uint value = gl_LocalInvocationIndex; value < VALUES; value += WORKGROUP_SIZE) counters[value] = 0u;
}

// The bound keys from `begin` to before `end` whose higher digits are those found. Keys of one value that an invocation meets one after the other are added at once: where there are few values, all
// invocations would else wait for each other.
void count_keys(uint begin, uint end, Bits found, Digit d) {
    uint last = 0u;
    uint run = 0u;
    uint end_quad = quads_to(end);
    for (uint quad = begin / PER_QUAD + gl_LocalInvocationIndex; quad < end_quad; quad += WORKGROUP_SIZE) {
        uvec4 raw = key_quad(quad);
        [[unroll]] for (uint j = 0u; j < PER_QUAD; ++j) {
            uint at = quad * PER_QUAD + j;
            Bits key = select_key(quad_element(raw, j));
            if (at < begin || at >= end || !is_left(key, found, d)) continue;
            uint value = value_of(key, d);
            if (value != last) {
                if (run > 0u) atomicAdd(counters[last], run);
                last = value;
                run = 0u;
            }
            ++run;
        }
    }
    if (run > 0u) atomicAdd(counters[last], run);
}

#endif
