// Compaction: counts flagged elements, finds how many come before each tile, and moves elements there, in their order. A tile is what a
// workgroup reads at once, UNROLL rows of one wide load an invocation. Before a row's elements are stored they are put side by side in shared
// memory, so that neighbouring invocations write neighbouring words. Before the include stand
//   SECOND_OUTPUT                             for runs: positions may go beside the elements; without it binding 3 is a mask
#include "compact/interface.glsl"
#include "compact/width.glsl"

layout(set = 0, binding = 1, std430) buffer OutputWords { uint output_words[]; };
#ifdef SECOND_OUTPUT
layout(set = 0, binding = 3, std430) writeonly buffer PositionWords { uint position_words[]; };
#else
layout(set = 0, binding = 3, std430) readonly buffer MaskWords { uint mask_words[]; };
#endif

const bool HAS_HEADS = false;
const uint EXCHANGE_HEAD_SLOTS = 1u;
#define CARRY_HAS_ARITHMETIC true
#include "include/state/count.glsl"
#include "include/scan/carry.glsl"
#include "include/scan/exchange.glsl"
#define SCRATCH_WORDS scratch_words
#define STATUS_WORDS scratch_status
#include "include/scan/partials.glsl"
#include "include/scan/look_back.glsl"

// Wide loads of an invocation in a tile.
const uint UNROLL = 4u;

shared uint staging[STAGING_SLOTS];
shared uint taken_tile;

// Elements of the whole array that there are.
uint live_total;

uint tile_quad(uint tile, uint k) { return tile * (UNROLL * WORKGROUP_SIZE) + k * WORKGROUP_SIZE + gl_LocalInvocationIndex; }

// How many of this dispatch's elements before element `i` there are.
uint live_before(uint i) {
    uint there = live_total > first ? live_total - first : 0u;
    return min(min(i, elements), there);
}

Carry count_carry(uint count) { return Carry(State(count), 0u); }

// Where element `i` of the whole array stands in its row; an array that is not in rows is one row.
uint place_in_row(uint i) {
    if (ROWS == 0u) return i;
    return i % row_length;
}

// The place behind that one, in this row or the next.
uint next_in_row(uint at) {
    ++at;
    return ROWS != 0u && at == row_length ? 0u : at;
}

#ifndef SECOND_OUTPUT
bool mask_at(uint i) {
    uint at = mask_first + i;
    if (FLAGS == FLAGS_MASK_BYTES) return ((mask_words[at >> 2] >> (8u * (at & 3u))) & 0xffu) != 0u;
    return mask_words[at] != 0u;
}
#endif

// Whether an element is flagged; `before` is the one in front of it, and `in_row` where it stands in its row.
bool is_flagged(uint i, Bits bits, Bits before, uint in_row) {
#ifdef SECOND_OUTPUT
    return FLAGS == FLAGS_HEADS && (in_row == 0u || bits_differ(bits, before));
#else
    if (FLAGS == FLAGS_MASK_WORDS || FLAGS == FLAGS_MASK_BYTES) return mask_at(i);
    if (FLAGS == FLAGS_STARTS) return first + i == 0u || bits_differ(bits, Bits(0u));
#if defined(WIDTH_W64)
    if (FLAGS == FLAGS_NO_BITS) return ((bits.x & value_low) | (bits.y & value_high)) == 0u;
    Bits value = uvec2(value_low, value_high);
#else
    if (FLAGS == FLAGS_NO_BITS) return (bits & value_low) == 0u;
    Bits value = value_low;
#endif
    uint kind = (options >> OPTION_KIND_SHIFT) & 3u;
    uint wanted = options >> OPTION_WANTED_SHIFT;
    return (bits_compare(bits, value, kind) & wanted) != 0u;
#endif
}

// The elements of a quad, and a bit for each that is flagged. Those that are not there are not flagged.
uint quad_load(uint quad, out uvec4 raw) {
    raw = uvec4(0u);
    uint begin = quad * PER_QUAD;
    uint live = live_before(begin + PER_QUAD) - live_before(begin);
    if (quad >= (elements + PER_QUAD - 1u) / PER_QUAD || live == 0u) return 0u;
    uint at = input_quad * PER_QUAD + begin;
    if (begin + PER_QUAD <= elements) {
        raw = input_quad_load(input_quad + quad);
    } else {
        // The last quad of memory may have less.
        uint word = QUAD_WORDS * (input_quad + quad);
        uint words = (elements - begin) * QUAD_WORDS;
        words = (words + PER_QUAD - 1u) / PER_QUAD;
        for (uint w = 0u; w < QUAD_WORDS; ++w) if (w < words) raw[w] = input_words[word + w];
    }
    uint flags = 0u;
#ifdef SECOND_OUTPUT
    Bits before = input_element(first + begin == 0u ? at : at - 1u);
#else
    Bits before = quad_element(raw, 0u);
#endif
    uint in_row = place_in_row(first + begin);
    for (uint j = 0u; j < PER_QUAD; ++j) {
        Bits bits = quad_element(raw, j);
        if (j < live && is_flagged(begin + j, bits, before, in_row)) flags |= 1u << j;
        before = bits;
        in_row = next_in_row(in_row);
    }
    return flags;
}

void stage_element(uint slot, Bits bits) {
#if defined(WIDTH_W64)
    staging[2u * slot] = bits.x;
    staging[2u * slot + 1u] = bits.y;
#else
    staging[slot] = bits;
#endif
}

// Stores `count` elements that stand in shared memory from slot `slot` on as results `to` and behind.
void store_elements(uint slot, uint count, uint to) {
    uint lane = gl_LocalInvocationIndex;
#ifdef PER_WORD
    // Several results share a word. Whoever does not have all of them changes its part by atomics that leave the others as they are, as the invocations that
    // have those may be changing them.
    const uint BITS = 32u / PER_WORD;
    uint last = to + count - 1u;
    for (uint word = to / PER_WORD + lane; count > 0u && word <= last / PER_WORD; word += WORKGROUP_SIZE) {
        uint result = word * PER_WORD;
        if (result < window_first || result >= window_end) continue;
        uint bits = 0u;
        uint mask = 0u;
        for (uint k = 0u; k < PER_WORD; ++k) {
            if (result + k < to || result + k > last) continue;
            bits |= staging[slot + result + k - to] >> (32u - BITS) << (BITS * k);
            mask |= ((1u << BITS) - 1u) << (BITS * k);
        }
        uint at = (result - window_first) / PER_WORD;
        if (mask == 0xffffffffu) {
            output_words[at] = bits;
        } else {
            atomicAnd(output_words[at], ~mask);
            atomicOr(output_words[at], bits);
        }
    }
#else
    for (uint w = lane; w < count * WORDS; w += WORKGROUP_SIZE) {
        uint result = to + w / WORDS;
        if (result >= window_first && result < window_end)
            output_words[(result - window_first) * WORDS + w % WORDS] = staging[slot * WORDS + w];
    }
#endif
}

// Stores one element. It may be the only one of its word that this invocation has.
void store_element(uint to, Bits bits) {
    if (to < window_first || to >= window_end) return;
    uint at = to - window_first;
#if defined(PER_WORD)
    const uint BITS = 32u / PER_WORD;
    uint shift = BITS * (at % PER_WORD);
    atomicAnd(output_words[at / PER_WORD], ~(((1u << BITS) - 1u) << shift));
    atomicOr(output_words[at / PER_WORD], bits >> (32u - BITS) << shift);
#elif defined(WIDTH_W64)
    output_words[2u * at] = bits.x;
    output_words[2u * at + 1u] = bits.y;
#else
    output_words[at] = bits;
#endif
}

// Leaves in scratch how many elements are flagged before each row that begins in a quad; `rank` are flagged before the quad.
void store_ranks(uint begin, uint flags, uint rank) {
    uint row = (first + begin) / row_length;
    uint in_row = place_in_row(first + begin);
    for (uint j = 0u; j < PER_QUAD && begin + j < elements; ++j) {
        if (in_row == 0u) scratch_words[row_ranks + row] = rank;
        rank += (flags >> j) & 1u;
        in_row = next_in_row(in_row);
        if (in_row == 0u) ++row;
    }
}

// Puts the `live` elements of a quad where they go in their rows: `rank` flagged ones stand before the quad, and scratch has how many do before each row.
void store_in_rows(uint begin, uint live, uvec4 raw, uint flags, uint rank) {
    uint row = (first + begin) / row_length;
    uint in_row = place_in_row(first + begin);
    for (uint j = 0u; j < live; ++j) {
        uint before_row = scratch_words[row_ranks + row];
        bool flagged = (flags & (1u << j)) != 0u;
        uint to = rank - before_row;
        // Of the others come as many before this one as elements of the row that are not flagged.
        if (!flagged) to = scratch_words[row_ranks + row + 1u] - before_row + in_row - to;
        store_element(first + begin + j - in_row + to, quad_element(raw, j));
        rank += flagged ? 1u : 0u;
        in_row = next_in_row(in_row);
        if (in_row == 0u) ++row;
    }
}

void store_positions(uint count, uint to) {
    for (uint w = gl_LocalInvocationIndex; w < count; w += WORKGROUP_SIZE) {
        uint result = to + w;
        if (result < window_first || result >= window_end) continue;
#ifdef SECOND_OUTPUT
        position_words[result - window_first] = staging[w];
#else
        output_words[result - window_first] = staging[w];
#endif
    }
}

// The elements of row k of a tile, where `front` flagged ones stand before the row, `flagged` are in it, `own` in it before this
// invocation's quad, and `back` is where its other elements go. With barriers, in uniform control flow.
void store_row(uint quad, uvec4 raw, uint flags, uint front, uint flagged, uint own, uint row_quad, uint back) {
    uint begin = quad * PER_QUAD;
    uint live_here = live_before(begin);
    uint live = live_before(begin + PER_QUAD) - live_here;
    if ((options & OPTION_NUMBERS) != 0u) {
        uint number = front + own - 1u;
        for (uint j = 0u; j < live; ++j) {
            number += (flags >> j) & 1u;
            output_words[first + begin + j - window_first] = number;
        }
        return;
    }
    if (ROWS != 0u && (options & OPTION_PARTITION) != 0u) {
        store_in_rows(begin, live, raw, flags, front + own);
        return;
    }
    uint row_live = live_before((row_quad + WORKGROUP_SIZE) * PER_QUAD) - live_before(row_quad * PER_QUAD);
    if ((options & OPTION_ELEMENTS) != 0u) {
        uint selected = own;
        uint others = flagged + (live_here - live_before(row_quad * PER_QUAD)) - own;
        for (uint j = 0u; j < PER_QUAD; ++j) {
            if ((flags & (1u << j)) != 0u) stage_element(selected++, quad_element(raw, j));
            else if (j < live && (options & OPTION_PARTITION) != 0u) stage_element(others++, quad_element(raw, j));
        }
        barrier();
        store_elements(0u, flagged, front);
        if ((options & OPTION_PARTITION) != 0u) store_elements(flagged, row_live - flagged, back);
        barrier();
    }
    if ((options & OPTION_POSITIONS) != 0u) {
        uint selected = own;
        uint in_row = place_in_row(first + begin);
        for (uint j = 0u; j < PER_QUAD; ++j) {
            if ((flags & (1u << j)) != 0u) staging[selected++] = in_row;
            in_row = next_in_row(in_row);
        }
        barrier();
        store_positions(flagged, front);
        barrier();
    }
}

// A workgroup goes round by round, and each round has invocations exchange counts once, as all of it is compiled into one body.
// Of the next tile that is its own.
const uint ROUND_TILE = 0u;
// Of a tile that another workgroup does not get done with.
const uint ROUND_STALLED_TILE = 1u;
// Of the workgroups before it, which are in scratch.
const uint ROUND_WORKGROUPS = 2u;
// Of all workgroups.
const uint ROUND_ALL_WORKGROUPS = 3u;
// Of the tiles that it looked back at.
const uint ROUND_LOOK_BACK = 4u;
// Of its own invocations, each with what it has found in all tiles.
const uint ROUND_INVOCATIONS = 5u;

const uint NO_TILE = 0xffffffffu;

// The first tile of this workgroup, and the one behind its last. Looking back, tiles are numbered as workgroups begin, so that one that is waited for has begun.
uint first_tile(uint group, out uint end) {
    if (STAGE == STAGE_LOOK_BACK) {
        if (gl_LocalInvocationIndex == 0u) taken_tile = atomicAdd(scratch_words[ticket], 1u);
        barrier();
        end = min(taken_tile + 1u, tiles);
        return taken_tile;
    }
    end = group < groups ? min((group + 1u) * group_tiles, tiles) : 0u;
    return group * group_tiles;
}

void main() {
    uint group = workgroup_number();
    uint lane = gl_LocalInvocationIndex;
    live_total = (options & OPTION_COUNTED) != 0u ? min(scratch_words[count_word], total) : total;
    uint tile_end;
    uint tile = first_tile(group, tile_end);
    if (tile >= tile_end) return;
    uint earlier = group_base + group;
    // Within rows, what there is to know was counted in a dispatch before.
    bool partitions = ROWS == 0u && (options & OPTION_PARTITION) != 0u;
    uint round = ROUND_TILE;
    if (STAGE == STAGE_SCAN && all_groups > 1u && earlier > 0u) round = ROUND_WORKGROUPS;
    else if (STAGE == STAGE_SCAN && all_groups > 1u && partitions) round = ROUND_ALL_WORKGROUPS;

    LookBack at = LookBack(status, carries, fallbacks);
    uint looked = tile;                 // the last tile that was looked at
    uint stalled = 0u;
    Look seen = Look(LOOK_FOUND, STATUS_NOTHING, 0u);
    uint behind = 0u;                   // flagged elements between the tiles that were looked at and this one
    uint own = 0u;                      // and of this one
    uint running = 0u;                  // flagged elements before the tile
    uint found = 0u;                    // and of this invocation, where they are only counted
    uint all_flagged = 0u;              // flagged elements of all tiles, where others go behind them
    // One workgroup counts the flagged elements before it moves any.
    bool counts_first = STAGE == STAGE_SCAN && all_groups == 1u && partitions;
    if (STAGE == STAGE_KNOWN && tile > 0u) running = carry_load(look_back_slot(at, tile - 1u, STATUS_INCLUSIVE)).state.value;

    uvec4 raw[UNROLL];
    uint flags[UNROLL];
    uint prefix[UNROLL];
    uint row_flagged[UNROLL + 1u];
    for (;;) {
        uint slots = WORKGROUP_SIZE;
        bool counts = STAGE == STAGE_REDUCE || counts_first;
        if (round <= ROUND_STALLED_TILE) {
            for (uint k = 0u; k < UNROLL; ++k) {
                uvec4 quad;
                uint quad_flags = quad_load(tile_quad(round == ROUND_TILE ? tile : stalled, k), quad);
                uint count = uint(bitCount(quad_flags));
                if (round == ROUND_TILE) {
                    raw[k] = quad;
                    flags[k] = quad_flags;
                }
                if (counts) found += count;
                else exchange_put(k * WORKGROUP_SIZE + lane, count_carry(count));
            }
            if (counts) {
                if (++tile == tile_end) round = ROUND_INVOCATIONS;
                continue;
            }
            slots = UNROLL * WORKGROUP_SIZE;
        } else {
            uint slot = lane;
            Carry c = count_carry(found);
            if (round == ROUND_WORKGROUPS) c = carry_share(carries, earlier);
            if (round == ROUND_ALL_WORKGROUPS) c = carry_share(carries, all_groups);
            if (round == ROUND_LOOK_BACK) {
                c = look_back_carry(at, looked, seen);
                // Tiles that lie further back come first.
                slot = WORKGROUP_SIZE - 1u - lane;
            }
            exchange_put(slot, c);
        }
        exchange_scan(slots);
        uint sum = exchange_total().state.value;
        if (round == ROUND_TILE) {
            for (uint k = 0u; k < UNROLL; ++k) {
                prefix[k] = exchange_prefix(k * WORKGROUP_SIZE + lane).state.value;
                row_flagged[k] = exchange_prefix(k * WORKGROUP_SIZE).state.value;
            }
            row_flagged[UNROLL] = sum;
        }
        barrier();

        if (STAGE == STAGE_REDUCE) {
            if (lane == 0u) scratch_words[carries + earlier] = sum;
            return;
        }
        bool moves = round == ROUND_TILE;
        if (STAGE == STAGE_LOOK_BACK) {
            uint announced = NO_TILE;
            if (round == ROUND_TILE) {
                own = sum;
                // The first tile's count is inclusive, and published as that.
                announced = tile == HELD_TILE || tile == 0u ? NO_TILE : tile;
            }
            if (round == ROUND_STALLED_TILE) announced = stalled;
            if (lane == 0u && round <= ROUND_STALLED_TILE && announced != NO_TILE) look_back_publish(at, announced, STATUS_AGGREGATE, count_carry(sum));
            if (lane == 0u && round == ROUND_STALLED_TILE) atomicAdd(scratch_words[fallbacks], 1u);
            if (round == ROUND_LOOK_BACK) {
                behind += sum;
                looked -= min(looked, WORKGROUP_SIZE);
            }
            moves = tile == 0u || (round == ROUND_LOOK_BACK && seen.outcome == LOOK_FOUND);
            if (!moves) {
                seen = look_back(at, looked);
                stalled = looked - 1u - seen.reach;
                round = seen.outcome == LOOK_STALLED ? ROUND_STALLED_TILE : ROUND_LOOK_BACK;
                continue;
            }
            if (lane == 0u && tile != HELD_TILE) look_back_publish(at, tile, STATUS_INCLUSIVE, count_carry(behind + own));
            running = behind;
        } else if (STAGE == STAGE_SCAN) {
            if (round == ROUND_WORKGROUPS) {
                running = sum;
                uint mine = scratch_words[carries + earlier];
                bool last = earlier + 1u == all_groups;
                if (last && lane == 0u) scratch_words[total_word] = running + mine;
                // All of it goes to other parts of the output than the one that is bound.
                bool elsewhere = running + mine <= window_first || running >= window_end;
                if (elsewhere && (options & (OPTION_PARTITION | OPTION_NUMBERS | OPTION_RANKS)) == 0u) return;
                round = partitions ? ROUND_ALL_WORKGROUPS : ROUND_TILE;
                continue;
            }
            if (round == ROUND_ALL_WORKGROUPS || round == ROUND_INVOCATIONS) {
                all_flagged = sum;
                counts_first = false;
                round = ROUND_TILE;
                tile = group * group_tiles;
                continue;
            }
        }
        if (moves) {
            for (uint k = 0u; k < UNROLL; ++k) {
                uint row_quad = tile * (UNROLL * WORKGROUP_SIZE) + k * WORKGROUP_SIZE;
                uint front = running + row_flagged[k];
                // Elements before the row that are not flagged; there are none before those of the first dispatch.
                uint others = min(first, live_total) + live_before(row_quad * PER_QUAD) - front;
                if (ROWS != 0u && (options & OPTION_RANKS) != 0u) store_ranks((row_quad + lane) * PER_QUAD, flags[k], running + prefix[k]);
                store_row(row_quad + lane, raw[k], flags[k], front, row_flagged[k + 1u] - row_flagged[k], prefix[k] - row_flagged[k], row_quad, all_flagged + others);
            }
        }
        bool last_tile = first + elements == total && tile + 1u == tiles;
        running += row_flagged[UNROLL];
        if (STAGE != STAGE_KNOWN && last_tile && lane == 0u) {
            scratch_words[total_word] = running;
            if (ROWS != 0u && (options & OPTION_RANKS) != 0u) scratch_words[row_ranks + total / row_length] = running;
        }
        if (++tile >= tile_end) return;
    }
}
