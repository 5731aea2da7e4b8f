// A pass of a radix sort in which a workgroup goes through one part of the keys, tile by tile. A tile is sorted by the digit in shared memory, four bits at a time, so that keys with the same digit lie side by side
// and neighbouring invocations write to neighbouring words.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"
#include "sort/interface.glsl"
#include "compact/width.glsl"
#include "sort/keys.glsl"

layout(constant_id = 5) const uint EXCHANGE_SLOTS = 1024u;
// Keys of an invocation in a tile.
layout(constant_id = 6) const uint KEYS_EACH = 8u;
// Words of shared memory for the keys of a tile, and for where they came from, which only values need.
layout(constant_id = 7) const uint KEY_SLOTS = 1024u;
layout(constant_id = 8) const uint FROM_SLOTS = 1024u;

layout(set = 0, binding = 1, std430) buffer Table { uint table_words[]; };
layout(set = 0, binding = 2, std430) buffer OutputWords { uint output_words[]; };
layout(set = 0, binding = 3, std430) readonly buffer ValueWords { uint value_words[]; };

const bool HAS_HEADS = false;
const uint EXCHANGE_HEAD_SLOTS = 1u;
#define CARRY_HAS_ARITHMETIC true
#include "include/state/count.glsl"
#include "include/scan/carry.glsl"
#include "include/scan/exchange.glsl"
#include "sort/store.glsl"

// Most keys of an invocation: registers need a size.
const uint MOST_KEYS = 16u;

// Of the sixteen values of four bits one counter each an invocation, two to a word: value v in the lower half and v + 8 in the upper one of word v. A tile has fewer than 2^16 keys.
shared uint counters[COUNTER_SLOTS];
shared uint tile_keys[KEY_SLOTS];
shared uint tile_from[FROM_SLOTS];
// For each value of the digit: where the part's next key with it goes, and where in the tile those with it begin and end.
shared uint places[VALUES];
shared uint begins[VALUES];
shared uint ends[VALUES];

void tile_put(uint at, Bits key) {
#if defined(WIDTH_W64)
    tile_keys[2u * at] = key.x;
    tile_keys[2u * at + 1u] = key.y;
#else
    tile_keys[at] = key;
#endif
}

Bits tile_get(uint at) {
#if defined(WIDTH_W64)
    return uvec2(tile_keys[2u * at], tile_keys[2u * at + 1u]);
#else
    return tile_keys[at];
#endif
}

// The counter's words run through all invocations for each value; every eighth word is left out against bank conflicts.
uint counter_word(uint i) { return i + i / 8u; }

// Where each of this invocation's keys goes in the tile, sorted by four bits of their digits from `bit` on. Keys that are not there come last. With barriers, in uniform control flow.
void rank(Bits keys[MOST_KEYS], uint live, uint bit, out uint ranks[MOST_KEYS]) {
    uint lane = gl_LocalInvocationIndex;
    for (uint v = 0u; v < 8u; ++v) counters[counter_word(v * WORKGROUP_SIZE + lane)] = 0u;
    uint values[MOST_KEYS];
    for (uint j = 0u; j < KEYS_EACH; ++j) {
        uint value = j < live ? (digit_of(keys[j]) >> bit) & 15u : 15u;
        uint word = counter_word((value & 7u) * WORKGROUP_SIZE + lane);
        uint half_shift = (value & 8u) * 2u;
        uint count = counters[word];
        values[j] = value;
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

void main() {
    uint lane = gl_LocalInvocationIndex;
    uint part = workgroup_number();
    if (part >= dispatch_parts) return;
    part += first_part;
    uint line = part / parts;
    part -= line * parts;
    uint row = first_row + line;
    uint row_first = row / inner * row_length * inner + row % inner;
    uint live = (options & OPTION_COUNTED) != 0u ? min(table_words[count_word], row_length) : row_length;
    uint part_begin = min(part * part_length, live);
    uint part_end = part_begin + min(part_length, live - part_begin);
    uint column = table + line * VALUES * parts + part;
    const uint TILE = WORKGROUP_SIZE * KEYS_EACH;

    for (uint value = lane; value < VALUES; value += WORKGROUP_SIZE) {
        // Where each value's keys begin in the row, before the exchange below.
        places[value] = 0u;
        begins[value] = 0u;
        ends[value] = STAGE == STAGE_MOVE ? table_words[totals + line * VALUES + value] : 0u;
    }
    barrier();
    if (STAGE == STAGE_COUNT) {
        for (uint number = part_begin + lane; number < part_end; number += WORKGROUP_SIZE)
            atomicAdd(places[digit_of(input_element(row_first + number * inner - first))], 1u);
        barrier();
        for (uint value = lane; value < VALUES; value += WORKGROUP_SIZE) table_words[column + value * parts] = places[value];
        return;
    }
    uint running = 0u;
    for (uint group = 0u; group < VALUES; group += WORKGROUP_SIZE) {
        uint value = group + lane;
        exchange_put(lane, Carry(State(value < VALUES ? ends[value] : 0u), 0u));
        exchange_scan(WORKGROUP_SIZE);
        if (value < VALUES) places[value] = running + exchange_prefix(lane).state.value + table_words[column + value * parts];
        running += exchange_total().state.value;
        barrier();
    }
    for (uint value = lane; value < VALUES; value += WORKGROUP_SIZE) ends[value] = 0u;

    for (uint tile_begin = part_begin; tile_begin < part_end; tile_begin += TILE) {
        uint count = min(TILE, part_end - tile_begin);
        uint own_begin = lane * KEYS_EACH;
        uint own = count > own_begin ? min(KEYS_EACH, count - own_begin) : 0u;
        Bits keys[MOST_KEYS];
        uint from[MOST_KEYS];
        for (uint j = 0u; j < KEYS_EACH; ++j) {
            from[j] = own_begin + j;
            if (j < own) keys[j] = input_element(row_first + (tile_begin + own_begin + j) * inner - first);
            else keys[j] = Bits(0u);
        }
        for (uint bit = 0u; bit < DIGIT_BITS; bit += 4u) {
            uint ranks[MOST_KEYS];
            // Behind the first four bits all that is there lies in front.
            rank(keys, own, bit, ranks);
            for (uint j = 0u; j < KEYS_EACH; ++j) {
                tile_put(ranks[j], keys[j]);
                if (VALUE_WORDS > 0u) tile_from[ranks[j]] = from[j];
            }
            barrier();
            if (bit + 4u >= DIGIT_BITS) break;
            for (uint j = 0u; j < KEYS_EACH; ++j) {
                keys[j] = tile_get(own_begin + j);
                if (VALUE_WORDS > 0u) from[j] = tile_from[own_begin + j];
            }
            barrier();
        }
        for (uint at = lane; at < count; at += WORKGROUP_SIZE) {
            uint value = digit_of(tile_get(at));
            if (at == 0u || digit_of(tile_get(max(at, 1u) - 1u)) != value) begins[value] = at;
            if (at + 1u == count || digit_of(tile_get(min(at + 1u, count - 1u))) != value) ends[value] = at + 1u;
        }
        barrier();
        for (uint at = lane; at < count; at += WORKGROUP_SIZE) {
            Bits key = tile_get(at);
            uint value = digit_of(key);
            uint to = row_first + (places[value] + at - begins[value]) * inner;
            if (to < window_first || to >= window_end) continue;
            if (VALUE_WORDS > 0u) {
                uint number = tile_begin + tile_from[at];
                store_value(to - window_base, row_first + number * inner - first_value, number);
            } else {
                store_key(to - window_base, key);
            }
        }
        barrier();
        for (uint value = lane; value < VALUES; value += WORKGROUP_SIZE) {
            places[value] += ends[value] - begins[value];
            begins[value] = 0u;
            ends[value] = 0u;
        }
        barrier();
    }
}
