// A pass of a radix sort in which a workgroup goes through one part of the keys, tile by tile. A tile is sorted by the digit in shared memory, by ballots of large subgroups or four bits at a time, so that keys with
// the same digit lie side by side and neighbouring invocations write to neighbouring words.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"
#if defined(PATH_SUBGROUP) || defined(PATH_SHUFFLE)
#extension GL_KHR_shader_subgroup_ballot : enable
#endif
#extension GL_EXT_control_flow_attributes : enable
#include "sort/interface.glsl"
#include "compact/width.glsl"
#include "sort/digit.glsl"

layout(set = 0, binding = 1, std430) buffer Table { uint table_words[]; };
layout(set = 0, binding = 2, std430) buffer OutputWords { uint output_words[]; };
layout(set = 0, binding = 3, std430) readonly buffer ValueWords { uint value_words[]; };

const bool HAS_HEADS = false;
const uint EXCHANGE_HEAD_SLOTS = 1u;
#define CARRY_HAS_ARITHMETIC true
#include "sort/tile.glsl"
#include "include/state/count.glsl"
#include "include/scan/carry.glsl"
#include "include/scan/exchange.glsl"
#include "sort/rank.glsl"
#include "sort/segments.glsl"
#include "sort/store.glsl"

// For each value of the digit: where the part's next key with it goes, and where in the tile those with it begin and end.
shared uint places[VALUES];
shared uint begins[VALUES];
shared uint ends[VALUES];
// Whether all keys of the row share the digit.
shared uint has_one_value;

// This workgroup's part: keys of one row from `part_begin` to before `part_end`.
uint part_begin;
uint part_end;
// Key 0 of the row, and how many it has. Keys of segments are counted through the whole array.
uint row_first;
uint live;
// Where in the table its counts stand, and how far they are apart; and the row's totals.
uint column;
uint row_totals;

void find_part(uint part) {
    uint line = part / parts;
    part -= line * parts;
    uint row = first_row + line;
    row_first = row / inner * row_length * inner + row % inner;
    live = (options & OPTION_COUNTED) != 0u ? min(table_words[count_word], row_length) : row_length;
    part_begin = min(part * part_length, live);
    part_end = part_begin + min(part_length, live - part_begin);
    column = table + line * VALUES * parts + part;
    row_totals = totals + line * VALUES;
}

// The last segment that begins among so many keys from `begin` on, if it is one of this dispatch's: only the last can be longer than they are.
bool find_segment(uint begin, uint keys, out uint segment) {
    uint behind = begin > 0xffffffffu - keys ? segments : segment_from(begin + keys);
    segment = max(behind, 1u) - 1u;
    return behind > 0u && segment_offset(segment) >= begin;
}

// A whole segment, or the part of one that lies in so many keys. There are two parts for each of these: of the segment that began before, and of one that begins there.
bool find_segment_part(uint part) {
    uint segment;
    if (STAGE == STAGE_ROWS) {
        if (!find_segment(part * shortest, shortest, segment)) return false;
    } else {
        uint begin = part / 2u * longest;
        if ((part & 1u) == 1u) {
            if (!find_segment(begin, longest, segment)) return false;
        } else {
            segment = segment_from(begin);
            if (segment == 0u) return false;
            --segment;
        }
    }
    row_first = segment_offset(segment);
    live = segment_end(segment) - row_first;
    part_begin = 0u;
    part_end = live;
    if (STAGE == STAGE_ROWS) return live > shortest && live <= longest;
    uint begin = part / 2u * longest;
    uint end = begin > 0xffffffffu - longest ? 0xffffffffu : begin + longest;
    part_begin = (part & 1u) == 1u ? 0u : begin - row_first;
    part_end = min(live, end - row_first);
    column = table + part;
    row_totals = totals + row_first / longest * VALUES;
    return live > longest && part_begin < part_end;
}

// Loops count from the part's beginning, as what is behind it may have no number.
void count_digits() {
    for (uint at = gl_LocalInvocationIndex; at < part_end - part_begin; at += WORKGROUP_SIZE)
        atomicAdd(ends[digit_of(input_element(row_first + (part_begin + at) * inner - first))], 1u);
    barrier();
}

// The value that belongs to key `number` of the row.
uvec2 value_of(uint number) { return load_value(row_first + number * inner - first_value, number); }

// Puts a key or a value in place `place` of the row, if that is bound.
void put(uint place, Bits key, uvec2 value) {
    uint to = row_first + place * inner;
    if (to < window_first || to >= window_end) return;
    if (VALUE_WORDS > 0u) store_value(to - window_base, value);
    else STORE_KEY(output_words, to - window_base, key);
}

// Where all keys of the row share the digit, each stays where it is.
void copy_part() {
    uint lane = gl_LocalInvocationIndex;
    for (uint at = lane; at < part_end - part_begin; at += WORKGROUP_SIZE) {
        uint number = part_begin + at;
        if (VALUE_WORDS > 0u) put(number, Bits(0u), value_of(number));
        else put(number, input_element(row_first + number * inner - first), uvec2(0u));
    }
}

// What lies in the tile in order, to where it goes in the row.
void move_tile(uint tile_begin, uint count) {
    for (uint at = gl_LocalInvocationIndex; at < count; at += WORKGROUP_SIZE) {
        Bits key = tile_get(at);
        uint value = digit_of(key);
        uint place = places[value] + at - begins[value];
        if (VALUE_WORDS > 0u) put(place, key, value_of(tile_begin + tile_from[tile_slot(at)]));
        else put(place, key, uvec2(0u));
    }
}

// Keys of a tile, and for each of its values where they begin and end there.
void sort_tile(uint tile_begin, uint count) {
    uint lane = gl_LocalInvocationIndex;
    uint own_begin = lane * KEYS_EACH;
    uint own = count > own_begin ? min(KEYS_EACH, count - own_begin) : 0u;
    Bits keys[MOST_KEYS];
    uint from[MOST_KEYS];
    uint values[MOST_KEYS];
    uint ranks[MOST_KEYS];
    for (uint bit = 0u; bit < DIGIT_BITS; bit += 4u) {
        for (uint j = 0u; j < KEYS_EACH; ++j) {
            if (bit > 0u) keys[j] = tile_get(own_begin + j);
            else keys[j] = j < own ? input_element(row_first + (tile_begin + own_begin + j) * inner - first) : Bits(0u);
            from[j] = own_begin + j;
            if (VALUE_WORDS > 0u && bit > 0u) from[j] = tile_from[tile_slot(own_begin + j)];
            // What is not there comes last, and so lies behind what is there for the next four bits, too.
            values[j] = j < own ? digit_of(keys[j]) >> bit & 15u : 15u;
        }
        rank(values, ranks);
        for (uint j = 0u; j < KEYS_EACH; ++j) {
            tile_put(ranks[j], keys[j]);
            if (VALUE_WORDS > 0u) tile_from[tile_slot(ranks[j])] = from[j];
        }
        barrier();
    }
    for (uint at = lane; at < count; at += WORKGROUP_SIZE) {
        uint value = digit_of(tile_get(at));
        if (at == 0u || digit_of(tile_get(max(at, 1u) - 1u)) != value) begins[value] = at;
        if (at + 1u == count || digit_of(tile_get(min(at + 1u, count - 1u))) != value) ends[value] = at + 1u;
    }
    barrier();
}

#include "sort/ballot.glsl"

void main() {
    uint lane = gl_LocalInvocationIndex;
    uint part = workgroup_number();
    if (part >= dispatch_parts) return;
    if (IN_SEGMENTS != 0u) {
        if (!find_segment_part(part)) return;
    } else {
        find_part(first_part + part);
    }
    const uint TILE = WORKGROUP_SIZE * KEYS_EACH;

    if (lane == 0u) has_one_value = 0u;
    for (uint value = lane; value < VALUES; value += WORKGROUP_SIZE) {
        begins[value] = 0u;
        ends[value] = STAGE == STAGE_MOVE ? table_words[row_totals + value] : 0u;
    }
    barrier();
    if (STAGE != STAGE_MOVE) count_digits();
    if (STAGE == STAGE_COUNT) {
        for (uint value = lane; value < VALUES; value += WORKGROUP_SIZE) table_words[column + value * parts] = ends[value];
        return;
    }
    uint running = 0u;
    for (uint group = 0u; group < VALUES; group += WORKGROUP_SIZE) {
        uint value = group + lane;
        uint all = value < VALUES ? ends[value] : 0u;
        if (all == live) has_one_value = 1u;
        exchange_put(lane, Carry(State(all), 0u));
        exchange_scan(WORKGROUP_SIZE);
        if (value < VALUES) {
            places[value] = running + exchange_prefix(lane).state.value;
            if (STAGE == STAGE_MOVE) places[value] += table_words[column + value * parts];
        }
        running += exchange_total().state.value;
        barrier();
    }
    if (has_one_value != 0u) {
        copy_part();
        return;
    }
    for (uint value = lane; value < VALUES; value += WORKGROUP_SIZE) ends[value] = 0u;
    barrier();
    for (uint done = 0u; done < part_end - part_begin; done += TILE) {
        uint count = min(TILE, part_end - part_begin - done);
        if (has_ballots()) sort_tile_by_ballots(part_begin + done, count);
        else sort_tile(part_begin + done, count);
        move_tile(part_begin + done, count);
        barrier();
        for (uint value = lane; value < VALUES; value += WORKGROUP_SIZE) {
            places[value] += ends[value] - begins[value];
            begins[value] = 0u;
            ends[value] = 0u;
        }
        barrier();
    }
}
