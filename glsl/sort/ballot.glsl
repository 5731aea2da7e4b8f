// A tile sorted by a digit at once: lanes of a subgroup find by ballots which of them have the same digit, and each subgroup counts in shared memory. Before the include stand tile.glsl, rank.glsl, `begins` and `ends`.
//
// Each of a subgroup's keys lies beside those of the neighbouring lanes, so that loads are of neighbouring words, and the order of the tile is: subgroup, turn, lane.
#ifndef WAVELANE_SORT_BALLOT
#define WAVELANE_SORT_BALLOT

// Whether subgroups are known to be as large as their counters have room for. Were they smaller when it runs, the tile is sorted without.
layout(constant_id = 10) const uint BY_BALLOT = 0u;

#if defined(PATH_SHARED_MEMORY)

bool has_ballots() { return false; }
void sort_tile_by_ballots(uint tile_begin, uint count) {}

#else

bool has_ballots() { return BY_BALLOT != 0u && gl_NumSubgroups * VALUES <= COUNTER_SLOTS; }

#include "sort/alike.glsl"

void sort_tile_by_ballots(uint tile_begin, uint count) {
    uint lane = gl_LocalInvocationIndex;
    uint own_counters = gl_SubgroupID * VALUES;
    uint own_begin = gl_SubgroupID * gl_SubgroupSize * KEYS_EACH + gl_SubgroupInvocationID;
    for (uint at = lane; at < gl_NumSubgroups * VALUES; at += WORKGROUP_SIZE) counters[at] = 0u;
    barrier();
    Bits keys[MOST_KEYS];
    uint digits[MOST_KEYS];
    uint ranks[MOST_KEYS];
    [[unroll]] for (uint j = 0u; j < KEYS_EACH; ++j) {
        uint at = own_begin + j * gl_SubgroupSize;
        keys[j] = Bits(0u);
        // What is not there comes last.
        digits[j] = VALUES - 1u;
        if (at < count) {
            keys[j] = input_element(row_first + (tile_begin + at) * inner - first);
            digits[j] = digit_of(keys[j]);
        }
    }
    [[unroll]] for (uint j = 0u; j < KEYS_EACH; ++j) {
        uvec4 lanes = alike(digits[j]);
        uint before = subgroupBallotExclusiveBitCount(lanes);
        uint counter = own_counters + digits[j];
        uint counted = counters[counter];
        subgroupBarrier();
        if (before == 0u) counters[counter] = counted + subgroupBallotBitCount(lanes);
        subgroupBarrier();
        ranks[j] = counted + before;
    }
    barrier();
    // Of each value how many there are in the subgroups before, and where in the tile it begins.
    uint running = 0u;
    for (uint group = 0u; group < VALUES; group += WORKGROUP_SIZE) {
        uint value = group + lane;
        uint sum = 0u;
        if (value < VALUES) {
            for (uint subgroup = 0u; subgroup < gl_NumSubgroups; ++subgroup) {
                uint counted = counters[subgroup * VALUES + value];
                counters[subgroup * VALUES + value] = sum;
                sum += counted;
            }
        }
        exchange_put(lane, Carry(State(sum), 0u));
        exchange_scan(WORKGROUP_SIZE);
        if (value < VALUES) {
            begins[value] = running + exchange_prefix(lane).state.value;
            ends[value] = begins[value] + sum;
        }
        running += exchange_total().state.value;
        barrier();
    }
    [[unroll]] for (uint j = 0u; j < KEYS_EACH; ++j) {
        uint at = ranks[j] + counters[own_counters + digits[j]] + begins[digits[j]];
        tile_put(at, keys[j]);
        if (VALUE_WORDS > 0u) tile_from[tile_slot(at)] = own_begin + j * gl_SubgroupSize;
    }
    barrier();
}

#endif

#endif
