// Rows that a workgroup has room for, each sorted as a whole in shared memory: four bits after four bits, and at last by their row, where a workgroup has several. All keys of a workgroup are read before the first
// is written, so that they may be written where they were.
//
// Of segments a workgroup has those that begin within its share of the keys and have no more keys than a share: two shares have room. So it makes no difference how many of them are short.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"
#include "include/group_number.glsl"

layout(constant_id = 0) const uint WORKGROUP_SIZE = 128u;
layout(local_size_x_id = 0, local_size_y = 1, local_size_z = 1) in;
// Words of shared memory in which digits are counted.
layout(constant_id = 3) const uint COUNTER_SLOTS = 2048u;
// Words of a value that moves with its key, 1 or 2; 0 where keys move alone.
layout(constant_id = 4) const uint VALUE_WORDS = 0u;
// Whether a workgroup may have several rows.
layout(constant_id = 9) const uint HAS_ROWS = 1u;

layout(push_constant) uniform PushConstants {
    uint row_length;     // keys of a row, or all of them
    uint inner;          // how far a row's neighbours are apart
    uint first_row;      // the first row of this dispatch
    uint rows;           // rows of this dispatch
    uint share;          // rows of a workgroup, or keys in which its segments begin
    uint first;          // where in the whole array the bound keys begin
    uint first_value;    // and the bound values
    uint key_base;       // and the bound results
    uint value_base;
    uint begin_bit;      // the bits that keys are compared by
    uint end_bit;
    uint options;        // OPTION_*
    uint count_word;     // where the count is, if the device has it
    uint offsets;        // word where the offsets of segments begin
    uint segments;       // how many segments there are
};

#include "compact/width.glsl"
#include "sort/keys.glsl"

// Offsets or the count; results' keys where there are neither and values move, too.
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

const uint TILE = WORKGROUP_SIZE * KEYS_EACH;

// Bits that not all keys of the tile have alike.
shared uint differing[2];

// This workgroup's keys: those of segments from `tile_begin` on, or of the rows from `tile_begin` on `live` each.
uint tile_begin;
uint live;
uint count;
// Bits that tell its rows apart.
uint row_bits;

uint bit_length(uint value) { return value == 0u ? 0u : uint(findMSB(value)) + 1u; }

void find_segments(uint group) {
    uint begin = group * share;
    uint from = segment_from(begin);
    // The host plans with at most 2^32 - 1 keys, but the end of the last share may lie behind them.
    uint to = begin > 0xffffffffu - share ? segments : segment_from(begin + share);
    if (to <= from) return;
    tile_begin = segment_offset(from);
    // Only the last of them can be longer than a share.
    uint last = segment_offset(to - 1u);
    uint end = segment_end(to - 1u);
    if (end - last > share) end = last;
    count = end > tile_begin ? min(end - tile_begin, TILE) : 0u;
    row_bits = to - from > 1u ? bit_length(TILE - 1u) : 0u;
}

void find_rows(uint group) {
    tile_begin = group * share;
    if (tile_begin >= rows) return;
    live = (options & OPTION_COUNTED) != 0u ? min(table_words[count_word], row_length) : row_length;
    count = min(share, rows - tile_begin) * live;
    row_bits = bit_length(share - 1u);
}

// Which element of the array place `at` of the tile is.
uint element_of(uint at) {
    if (IN_SEGMENTS != 0u) return tile_begin + at;
    uint line = at / live;
    uint row = first_row + tile_begin + line;
    return row / inner * row_length * inner + row % inner + (at - line * live) * inner;
}

// Of place `at` its row, in the upper half, and the place. A segment's number is the place where it begins.
uint origin_of(uint at) {
    if (IN_SEGMENTS == 0u) return at / live << 16u | at;
    uint segment = segment_from(tile_begin + at + 1u) - 1u;
    return max(segment_offset(segment), tile_begin) - tile_begin << 16u | at;
}

// A key's number in its row, from its origin.
uint number_of(uint origin) {
    uint row = origin >> 16u;
    return (origin & 0xffffu) - (IN_SEGMENTS != 0u ? row : row * live);
}

void main() {
    uint lane = gl_LocalInvocationIndex;
    const bool HAS_FROM = VALUE_WORDS > 0u || HAS_ROWS != 0u;
    count = 0u;
    if (IN_SEGMENTS != 0u) find_segments(workgroup_number());
    else find_rows(workgroup_number());
    if (count == 0u) return;
    if (lane < 2u) differing[lane] = 0u;
    for (uint at = lane; at < count; at += WORKGROUP_SIZE) {
        tile_put(at, input_element(element_of(at) - first));
        if (HAS_FROM) tile_from[tile_slot(at)] = origin_of(at);
    }
    barrier();
    uint own_begin = lane * KEYS_EACH;
    uint own = count > own_begin ? min(KEYS_EACH, count - own_begin) : 0u;
    Bits keys[MOST_KEYS];
    uint from[MOST_KEYS];
    uint values[MOST_KEYS];
    uint ranks[MOST_KEYS];
    Bits differs = Bits(0u);
    for (uint j = 0u; j < own; ++j) differs |= sort_key(tile_get(own_begin + j)) ^ sort_key(tile_get(0u));
#if defined(WIDTH_W64)
    atomicOr(differing[0], differs.x);
    atomicOr(differing[1], differs.y);
    barrier();
    differs = Bits(differing[0], differing[1]);
#else
    atomicOr(differing[0], differs);
    barrier();
    differs = differing[0];
#endif
    uint key_rounds = (end_bit - begin_bit + 3u) / 4u;
    uint rounds = key_rounds + (row_bits + 3u) / 4u;
    for (uint turn = 0u; turn < rounds; ++turn) {
        bool is_row = turn >= key_rounds;
        uint bit = is_row ? 16u + 4u * (turn - key_rounds) : begin_bit + 4u * turn;
        uint mask = is_row ? 15u : (1u << min(4u, end_bit - bit)) - 1u;
        // A digit that all keys share moves none of them.
        if (!is_row && key_digit(differs, bit, mask) == 0u) continue;
        for (uint j = 0u; j < KEYS_EACH; ++j) {
            keys[j] = tile_get(own_begin + j);
            from[j] = HAS_FROM ? tile_from[tile_slot(own_begin + j)] : 0u;
            values[j] = is_row ? from[j] >> bit & 15u : key_digit(sort_key(keys[j]), bit, mask);
            // What is not there comes last.
            if (j >= own) values[j] = 15u;
        }
        rank(values, ranks);
        for (uint j = 0u; j < KEYS_EACH; ++j) {
            tile_put(ranks[j], keys[j]);
            if (HAS_FROM) tile_from[tile_slot(ranks[j])] = from[j];
        }
        barrier();
    }
    uvec2 moved[MOST_KEYS];
    if (VALUE_WORDS > 0u) {
        for (uint j = 0u; j < KEYS_EACH; ++j) {
            uint at = j * WORKGROUP_SIZE + lane;
            if (at >= count) continue;
            uint origin = tile_from[tile_slot(at)];
            moved[j] = load_value(element_of(origin & 0xffffu) - first_value, number_of(origin));
        }
        barrier();
    }
    for (uint j = 0u; j < KEYS_EACH; ++j) {
        uint at = j * WORKGROUP_SIZE + lane;
        if (at >= count) continue;
        uint to = element_of(at);
        if (VALUE_WORDS == 0u) {
            STORE_KEY(output_words, to - key_base, tile_get(at));
        } else {
            store_value(to - value_base, moved[j]);
            if ((options & OPTION_KEYS) != 0u) STORE_KEY(table_words, to - key_base, tile_get(at));
        }
    }
}
