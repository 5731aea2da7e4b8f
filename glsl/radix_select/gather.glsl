// Puts the first keys of a row, and where they stood, beside each other in their order in the row, or all of them around a threshold. Before the include stand keys.glsl, results.glsl, and scan/exchange.glsl for sums of counts.
#ifndef WAVELANE_RADIX_SELECT_GATHER
#define WAVELANE_RADIX_SELECT_GATHER

// Wide loads of an invocation in a tile.
#define UNROLL 4u

// How many keys are before a threshold in the order, and how many are equal to it.
struct Split { uint less; uint equal; };

// The bound keys from `begin` to before `end`, of a row whose first one is `row_first` of them: those before the threshold in the order, and the first `ties` of those equal to it. Before `begin`
// the row has as many of either as `before` says. With OPTION_AROUND behind them the others, where all of the row has as many as `row` says. Results are counted from `result`. With barriers, in
// uniform control flow.
void gather_keys(uint begin, uint end, uint row_first, Bits threshold, uint ties, Split before, Split row, uint result) {
    bool is_around = (options & OPTION_AROUND) != 0u;
    uint lane = gl_LocalInvocationIndex;
    uint end_quad = quads_to(end);
    for (uint tile = begin / PER_QUAD; tile < end_quad; tile += UNROLL * WORKGROUP_SIZE) {
        uvec4 raws[UNROLL];
        [[unroll]] for (uint u = 0u; u < UNROLL; ++u) {
            uint quad = tile + u * WORKGROUP_SIZE + lane;
            raws[u] = quad < end_quad ? key_quad(quad) : uvec4(0u);
            // Those before the threshold in the lower half, and those equal to it: a tile has fewer than 2^16.
            uint counts = 0u;
            [[unroll]] for (uint j = 0u; j < PER_QUAD; ++j) {
                uint at = quad * PER_QUAD + j;
                Bits key = select_key(quad_element(raws[u], j));
                if (quad >= end_quad || at < begin || at >= end) continue;
                if (key_less(key, threshold)) counts += 1u;
                else if (!bits_differ(key, threshold)) counts += 0x10000u;
            }
            exchange_put(u * WORKGROUP_SIZE + lane, Carry(State(counts), 0u));
        }
        exchange_scan(UNROLL * WORKGROUP_SIZE);
        [[unroll]] for (uint u = 0u; u < UNROLL; ++u) {
            uint quad = tile + u * WORKGROUP_SIZE + lane;
            if (quad >= end_quad) continue;
            uint counts = exchange_prefix(u * WORKGROUP_SIZE + lane).state.value;
            uint less = before.less + (counts & 0xffffu);
            uint equal = before.equal + (counts >> 16u);
            [[unroll]] for (uint j = 0u; j < PER_QUAD; ++j) {
                uint at = quad * PER_QUAD + j;
                Bits raw = quad_element(raws[u], j);
                Bits key = select_key(raw);
                if (at < begin || at >= end) continue;
                uint place = at - row_first;
                if (key_less(key, threshold)) {
                    store(result + less + (is_around ? 0u : min(equal, ties)), raw, place);
                    ++less;
                } else if (!bits_differ(key, threshold)) {
                    if (equal < ties) store(result + equal + (is_around ? row.less : less), raw, place);
                    ++equal;
                } else if (is_around) {
                    store(result + row.less + row.equal + (place - less - equal), raw, place);
                }
            }
        }
        uint total = exchange_total().state.value;
        before.less += total & 0xffffu;
        before.equal += total >> 16u;
        barrier();
    }
}

#endif
