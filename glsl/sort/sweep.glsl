// A tile of keys, each with its value, sorted by a digit with the ballots of large subgroups, in registers; shared memory has the tile once, on its way to where neighbouring invocations write to neighbouring
// words. Before the include stand constants.glsl, width.glsl, digit.glsl, `table_words`, and the path's define, which is not that of shared memory.
//
// Each of a subgroup's keys lies beside those of the neighbouring lanes, so that loads are of neighbouring words, and the order of the tile is: subgroup, turn, lane.
#ifndef WAVELANE_SORT_SWEEP
#define WAVELANE_SORT_SWEEP

layout(set = 0, binding = 2, std430) buffer OutputWords { uint output_words[]; };
layout(set = 0, binding = 3, std430) readonly buffer ValueWords { uint value_words[]; };
layout(set = 0, binding = 4, std430) writeonly buffer OutputValueWords { uint output_value_words[]; };

layout(constant_id = 5) const uint EXCHANGE_SLOTS = 1024u;
// Keys of an invocation in a tile.
layout(constant_id = 6) const uint KEYS_EACH = 16u;
// Words of shared memory for counters, and then for a tile's keys or values.
layout(constant_id = 7) const uint POOL_SLOTS = 4096u;

const bool HAS_HEADS = false;
const uint EXCHANGE_HEAD_SLOTS = 1u;
#define CARRY_HAS_ARITHMETIC true
#include "include/state/count.glsl"
#include "include/scan/carry.glsl"
#include "include/scan/exchange.glsl"
#include "sort/store.glsl"
#include "sort/alike.glsl"

// Most keys of an invocation: registers need a size.
const uint MOST_KEYS = 16u;
const uint TILE = WORKGROUP_SIZE * KEYS_EACH;

shared uint pool[POOL_SLOTS];
// For each value of the digit: what has to be added to a key's place in the tile to have the one in the row.
shared uint bases[VALUES];

// Key 0 of the row.
uint row_first;

// What each invocation has of a tile: the keys, their digits beside their places, and a word of their values.
Bits keys[MOST_KEYS];
uint ranks[MOST_KEYS];
uint values[MOST_KEYS];

uint own_begin() { return gl_SubgroupID * gl_SubgroupSize * KEYS_EACH + gl_SubgroupInvocationID; }
uint own_counters() { return gl_SubgroupID * VALUES; }

void load_keys(uint from, uint count) {
    uint own = own_begin();
    if (count == TILE) {
        [[unroll]] for (uint j = 0u; j < KEYS_EACH; ++j) keys[j] = input_element(from + own + j * gl_SubgroupSize);
    } else {
        [[unroll]] for (uint j = 0u; j < KEYS_EACH; ++j) {
            uint at = own + j * gl_SubgroupSize;
            keys[j] = Bits(0u);
            if (at < count) keys[j] = input_element(from + at);
        }
    }
}

// Counts the tile's digits, each subgroup in its counters, and gives each key its place among those that have its digit in its subgroup. Called with a barrier() since the pool was used last.
void rank_keys(uint count) {
    for (uint at = gl_LocalInvocationIndex; at < gl_NumSubgroups * VALUES; at += WORKGROUP_SIZE) pool[at] = 0u;
    barrier();
    uint own = own_begin();
    // Which lanes are alike does not depend on the turns before, and so is not waited for.
    [[unroll]] for (uint j = 0u; j < KEYS_EACH; ++j) {
        // What is not there comes last.
        uint digit = own + j * gl_SubgroupSize < count ? digit_of(keys[j]) : VALUES - 1u;
        uvec4 lanes = alike(digit);
        ranks[j] = subgroupBallotBitCount(lanes) << 16u | subgroupBallotExclusiveBitCount(lanes) << 8u | digit;
    }
    [[unroll]] for (uint j = 0u; j < KEYS_EACH; ++j) {
        uint digit = ranks[j] & 255u;
        uint before = ranks[j] >> 8u & 255u;
        uint counted = pool[own_counters() + digit];
        subgroupBarrier();
        if (before == 0u) pool[own_counters() + digit] = counted + (ranks[j] >> 16u);
        subgroupBarrier();
        ranks[j] = counted + before << 8u | digit;
    }
    barrier();
}

// How many of the tile's keys have a value, as the subgroups counted.
uint count_of(uint value) {
    uint sum = 0u;
    if (value < VALUES)
        for (uint subgroup = 0u; subgroup < gl_NumSubgroups; ++subgroup) sum += pool[subgroup * VALUES + value];
    return sum;
}

// Makes each subgroup's counter of a value the place in the tile where its keys with it begin, the first of all being at `begin`.
void begin_at(uint value, uint begin) {
    for (uint subgroup = 0u; subgroup < gl_NumSubgroups; ++subgroup) {
        uint counted = pool[subgroup * VALUES + value];
        pool[subgroup * VALUES + value] = begin;
        begin += counted;
    }
}

// What is before each of WORKGROUP_SIZE values, `value` being this invocation's, of which there are `sum`; `running` counts those of the groups of values before. With barriers, in uniform control flow.
uint before_value(uint sum, inout uint running) {
    exchange_put(gl_LocalInvocationIndex, Carry(State(sum), 0u));
    exchange_scan(WORKGROUP_SIZE);
    uint before = running + exchange_prefix(gl_LocalInvocationIndex).state.value;
    running += exchange_total().state.value;
    barrier();
    return before;
}

// Puts the keys in their places in the tile, in shared memory. Called with a barrier() since begin_at() was for all values.
void order_keys() {
    [[unroll]] for (uint j = 0u; j < KEYS_EACH; ++j) ranks[j] = (ranks[j] >> 8u) + pool[own_counters() + (ranks[j] & 255u)];
    barrier();
    [[unroll]] for (uint j = 0u; j < KEYS_EACH; ++j) {
#if defined(WIDTH_W64)
        pool[ranks[j]] = keys[j].x;
        pool[TILE + ranks[j]] = keys[j].y;
#else
        pool[ranks[j]] = keys[j];
#endif
    }
}

// A word of the values that belong to this invocation's keys of the tile. Loads are apart from what is done with them, so that none waits for another.
void load_values(uint tile_begin, uint count, uint word) {
    uint own = own_begin();
    if ((options & OPTION_NUMBERS) != 0u) {
        [[unroll]] for (uint j = 0u; j < KEYS_EACH; ++j) values[j] = tile_begin + own + j * gl_SubgroupSize;
        return;
    }
    uint from = (row_first + tile_begin + own) * VALUE_WORDS + word;
    uint step = gl_SubgroupSize * VALUE_WORDS;
    if (count == TILE) {
        [[unroll]] for (uint j = 0u; j < KEYS_EACH; ++j) values[j] = value_words[from + j * step];
    } else {
        [[unroll]] for (uint j = 0u; j < KEYS_EACH; ++j) {
            values[j] = 0u;
            if (own + j * gl_SubgroupSize < count) values[j] = value_words[from + j * step];
        }
    }
}

// Writes the tile's keys and values where they go; the first key is number `tile_begin` of the row, and the first words of the values are loaded. Called with a barrier() since the keys are in order and `bases` are
// known.
void move_tile(uint tile_begin, uint count) {
    uint lane = gl_LocalInvocationIndex;
    // Where what comes to stand at `lane`, one round of the workgroup behind the other, goes.
    uint to[MOST_KEYS];
    [[unroll]] for (uint j = 0u; j < KEYS_EACH; ++j) {
        uint at = j * WORKGROUP_SIZE + lane;
        if (at < count) {
#if defined(WIDTH_W64)
            Bits key = uvec2(pool[at], pool[TILE + at]);
#else
            Bits key = pool[at];
#endif
            to[j] = row_first + bases[digit_of(key)] + at;
            if ((options & OPTION_KEYS) != 0u) STORE_KEY(output_words, to[j], key);
        }
    }
    // Values take the same way word by word.
    for (uint word = 0u; word < VALUE_WORDS; ++word) {
        if (word > 0u) load_values(tile_begin, count, word);
        barrier();
        [[unroll]] for (uint j = 0u; j < KEYS_EACH; ++j) pool[ranks[j]] = values[j];
        barrier();
        [[unroll]] for (uint j = 0u; j < KEYS_EACH; ++j) {
            uint at = j * WORKGROUP_SIZE + lane;
            if (at < count) output_value_words[to[j] * VALUE_WORDS + word] = pool[at];
        }
    }
}

// Where all keys of the row share the digit, those from `begin` to before `end` stay where they are.
void copy_keys(uint begin, uint end) {
    for (uint at = gl_LocalInvocationIndex; at < end - begin; at += WORKGROUP_SIZE) {
        uint number = begin + at;
        uint place = row_first + number;
        if ((options & OPTION_KEYS) != 0u) {
            Bits key = input_element(place);
            STORE_KEY(output_words, place, key);
        }
        if (VALUE_WORDS > 0u) {
            uvec2 value = load_value(place, number);
            output_value_words[place * VALUE_WORDS] = value.x;
            if (VALUE_WORDS > 1u) output_value_words[place * VALUE_WORDS + 1u] = value.y;
        }
    }
}

#endif
