// Scans elements that lie side by side: one array, or rows, or segments of any kind, which all are one array with beginnings in it. A tile is
// what a workgroup reads at once, UNROLL wide loads an invocation. STAGE says how tiles find what came before them.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"
#include "scan/interface.glsl"
#include "include/element.glsl"
#include "reduce/state.glsl"

// Words of shared memory that the exchange takes.
layout(constant_id = 7) const uint EXCHANGE_SLOTS = 1024u;
layout(constant_id = 8) const uint EXCHANGE_HEAD_SLOTS = 1u;
// See include/scan/look_back.glsl.
layout(constant_id = 9) const uint HELD_TILE = 0xffffffffu;

// 1: of each segment the last result alone is stored, one behind another.
layout(constant_id = 10) const uint RUNS = 0u;

// Each workgroup leaves the carry of its tiles in scratch.
const uint STAGE_REDUCE = 0u;
// Each workgroup begins with the carries of those before it, and scans its tiles.
const uint STAGE_SCAN = 1u;
// Each workgroup scans one tile, and looks back for what came before.
const uint STAGE_LOOK_BACK = 2u;

// Status words and counters of STAGE_LOOK_BACK, the count, then carries.
layout(set = 0, binding = 2, std430) coherent buffer Scratch { uint scratch_words[]; };
layout(set = 0, binding = 2, std430) volatile coherent buffer ScratchStatus { uint scratch_status[]; };
// Flags, bits or keys, where there are any.
layout(set = 0, binding = 3, std430) readonly buffer Heads { uint head_words[]; };

layout(push_constant) uniform PushConstants {
    uint elements;       // elements in this dispatch
    uint first;          // where in the whole array the first of them stands
    uint total;          // elements of the whole array
    uint row_length;     // elements of a row; all of them, where there is one array
    uint tiles;          // tiles of this dispatch
    uint group_tiles;    // tiles of each workgroup
    uint groups;         // workgroups of this dispatch
    uint group_base;     // workgroups of earlier dispatches
    uint tile_base;      // tiles of earlier dispatches
    uint carries;        // word where carries begin in scratch
    uint count_word;     // where in scratch the axis' count is, if the device has it
    uint status;         // word where statuses begin in scratch
    uint ticket;         // word of scratch that workgroups take their tiles from
    uint fallbacks;      // word of scratch that counts the work done for others
    uint head_first;     // where in the whole array the first of the bound heads stands
    uint options;        // OPTION_*
    uint initial_low;    // the initial value
    uint initial_high;
    uint tile_heads;     // RUNS: words of scratch for the segments that begin before each tile,
    uint runs;           // and for how many there are
    uint segment_length; // elements of a segment, where all have as many
};

#define CARRY_HAS_ARITHMETIC (!HAS_HEADS && OPERATOR != OPERATOR_LAST)
#include "include/scan/carry.glsl"
#include "include/scan/exchange.glsl"
#define SCRATCH_WORDS scratch_words
#define STATUS_WORDS scratch_status
#include "include/scan/partials.glsl"
#include "scan/heads.glsl"
#include "scan/result.glsl"

// Wide loads of an invocation in a tile.
const uint UNROLL = 4u;

// Elements of a row, or of the array, that there are.
uint live_length;

// The quad that this invocation has in row k of a tile; those beyond the last have no elements.
uint tile_quad(uint tile, uint k) { return tile * (UNROLL * WORKGROUP_SIZE) + k * WORKGROUP_SIZE + gl_LocalInvocationIndex; }

uint quads_of_dispatch() { return (elements + ELEMENTS_PER_QUAD - 1u) / ELEMENTS_PER_QUAD; }

// In memory quads stand in the opposite order where the scan goes backwards.
uint quad_in_memory(uint quad) { return REVERSE != 0u ? quads_of_dispatch() - 1u - quad : quad; }

// Element j of a quad in the order of the scan, in the order of memory.
uint element_in_memory(uint j) { return REVERSE != 0u ? ELEMENTS_PER_QUAD - 1u - j : j; }

struct Quad {
    State states[ELEMENTS_PER_QUAD];    // of the elements up to each, from the last beginning of a segment on
    uint heads;                         // a bit for each element, in the order of the scan
    uint live;
};

// What a quad's elements come to one after another; `sum` is what all of them do.
Quad quad_load(uint quad, out Carry sum) {
    Quad q;
    q.heads = 0u;
    q.live = 0u;
    sum = carry_identity();
    bool whole = quad < quads_of_dispatch();
    uint place = whole ? quad_in_memory(quad) : 0u;
    uint begin = place * ELEMENTS_PER_QUAD;
    Element e[ELEMENTS_PER_QUAD];
    if (whole && begin + ELEMENTS_PER_QUAD <= elements) {
        element_unpack(element_quad(place), e);
    } else {
        // The last quad of memory may have less; past its end its last element stands in, and is left out.
        for (uint j = 0u; j < ELEMENTS_PER_QUAD; ++j) e[j] = element_load(min(begin + j, elements - 1u));
    }
    uint row_place = HEADS == HEADS_ROWS || COUNTED != 0u ? (first + begin) % row_length : 0u;
    for (uint j = 0u; j < ELEMENTS_PER_QUAD; ++j) {
        uint m = element_in_memory(j);
        bool live = whole && begin + m < elements;
        // Rows may be shorter than a quad.
        uint in_row = row_place + m;
        if (HEADS == HEADS_ROWS && in_row >= row_length) in_row %= row_length;
        if (COUNTED != 0u && in_row >= live_length) live = false;
        if (live) {
            bool head = heads_at(first + begin + m, in_row, live_length);
            State s = state_from(e[m], 0u, pivot_load(0u));
            sum = carry_combine(sum, carry_new(s, head));
            q.live |= 1u << j;
            if (head) q.heads |= 1u << j;
        }
        q.states[j] = sum.state;
    }
    return q;
}

// The end of the array, as far as there are elements.
uint runs_end() { return COUNTED != 0u ? live_length : total; }

// The last results of the segments that end in a quad.
void quad_store_runs(uint quad, Quad q, Carry before) {
    uint begin = first + quad * ELEMENTS_PER_QUAD;
    for (uint j = 0u; j < ELEMENTS_PER_QUAD; ++j) {
        if ((q.live & (1u << j)) == 0u) continue;
        uint next = begin + j + 1u;
        bool ends = next == runs_end() || heads_differ(next);
        if (!ends) continue;
        uint heads = bitCount(q.heads & ((2u << j) - 1u));
        State s = heads != 0u ? q.states[j] : state_combine(before.state, q.states[j]);
        uint words[RESULT_WORDS];
        result_words(s, words);
        uint at = (before.heads + heads - 1u) * uint(RESULT_WORDS);
        for (uint w = 0u; w < uint(RESULT_WORDS); ++w) output_words[at + w] = words[w];
    }
}

// Results of a quad, where `before` is what came before it.
void quad_store(uint quad, Quad q, Carry before) {
    if (quad >= quads_of_dispatch()) return;
    State initial = state_identity();
    if ((options & OPTION_INITIAL) != 0u) initial = initial_state(initial_low, initial_high);
    uint place = quad_in_memory(quad);
    uint stored[ELEMENTS_PER_QUAD * RESULT_WORDS];
    for (uint j = 0u; j < ELEMENTS_PER_QUAD; ++j) {
        State s;
        if ((options & OPTION_EXCLUSIVE) != 0u) {
            // What stands before the element, unless a segment begins with it.
            bool alone = (q.heads & ((1u << j) - 1u)) != 0u;
            s = before.state;
            if (j > 0u) s = alone ? q.states[j - 1u] : state_combine(before.state, q.states[j - 1u]);
            if ((q.heads & (1u << j)) != 0u) s = state_identity();
        } else {
            bool alone = (q.heads & ((2u << j) - 1u)) != 0u;
            s = alone ? q.states[j] : state_combine(before.state, q.states[j]);
        }
        if ((options & OPTION_INITIAL) != 0u) s = state_combine(initial, s);
        uint words[RESULT_WORDS];
        result_words(s, words);
        uint m = element_in_memory(j);
        for (uint w = 0u; w < uint(RESULT_WORDS); ++w) stored[m * uint(RESULT_WORDS) + w] = words[w];
    }
    const uint ALL = (1u << ELEMENTS_PER_QUAD) - 1u;
    uint at = place * ELEMENTS_PER_QUAD * uint(RESULT_WORDS);
    if (q.live == ALL) {
        for (uint w = 0u; w < ELEMENTS_PER_QUAD * uint(RESULT_WORDS); w += 4u)
            output_quads[(at + w) / 4u] = uvec4(stored[w], stored[w + 1u], stored[w + 2u], stored[w + 3u]);
        return;
    }
    for (uint j = 0u; j < ELEMENTS_PER_QUAD; ++j) {
        if ((q.live & (1u << j)) == 0u) continue;
        uint m = element_in_memory(j) * uint(RESULT_WORDS);
        for (uint w = 0u; w < uint(RESULT_WORDS); ++w) output_words[at + m + w] = stored[m + w];
    }
}

#include "include/scan/look_back.glsl"

// What goes on from tile to tile of a workgroup; sums of floats carry what they lose.
struct Running { Accumulator sum; uint heads; };

void running_add(inout Running r, Carry c) {
    if (c.heads != 0u) r.sum = accumulator_new();
    accumulator_add(r.sum, c.state);
    r.heads += c.heads;
}

Carry running_carry(Running r) { return Carry(accumulator_state(r.sum), r.heads); }

// A workgroup goes round by round, and each round has invocations exchange carries once: there is one exchange, and one place that reads
// elements, as all of it is compiled into one body.
// Of the next tile that is its own.
const uint ROUND_TILE = 0u;
// Of a tile that another workgroup does not get done with.
const uint ROUND_STALLED_TILE = 1u;
// Of the workgroups before it, which are in scratch.
const uint ROUND_WORKGROUPS = 2u;
// Of the tiles that it looked back at.
const uint ROUND_LOOK_BACK = 3u;
// Of its own invocations, each with what it has found in all tiles.
const uint ROUND_INVOCATIONS = 4u;

const uint NO_TILE = 0xffffffffu;

shared uint taken_tile;

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
    live_length = COUNTED != 0u ? min(scratch_words[count_word], row_length) : row_length;
    uint tile_end;
    uint tile = first_tile(group, tile_end);
    if (tile >= tile_end) return;
    // These operators do not mind the order in which elements are reduced, so invocations need not meet for each tile.
    bool apart = STAGE == STAGE_REDUCE && CARRY_HAS_ARITHMETIC;
    uint earlier = group_base + group;
    uint round = STAGE == STAGE_SCAN && earlier > 0u ? ROUND_WORKGROUPS : ROUND_TILE;

    LookBack at = LookBack(status, carries, fallbacks);
    uint number = tile_base + tile;     // looking back: this tile's number in all dispatches
    uint looked = number;               // and the last one that was looked at
    uint stalled = 0u;
    Look seen = Look(LOOK_FOUND, STATUS_NOTHING, 0u);
    Carry behind = carry_identity();    // what stands between the tiles that were looked at and this one
    Carry own = carry_identity();
    Running running = Running(accumulator_new(), 0u);

    // The tile in registers: its quads, and what stands before each of them within the tile.
    Quad quads[UNROLL];
    Carry before[UNROLL];
    for (;;) {
        uint slots = WORKGROUP_SIZE;
        if (round <= ROUND_STALLED_TILE) {
            for (uint k = 0u; k < UNROLL; ++k) {
                Carry sum;
                Quad q = quad_load(tile_quad(round == ROUND_TILE ? tile : stalled - tile_base, k), sum);
                if (round == ROUND_TILE) quads[k] = q;
                if (apart) running_add(running, sum);
                else exchange_put(k * WORKGROUP_SIZE + lane, sum);
            }
            if (apart) {
                if (++tile == tile_end) round = ROUND_INVOCATIONS;
                continue;
            }
            slots = UNROLL * WORKGROUP_SIZE;
        } else {
            uint slot = lane;
            Carry c;
            if (round == ROUND_WORKGROUPS) c = carry_share(carries, earlier);
            if (round == ROUND_LOOK_BACK) {
                c = look_back_carry(at, looked, seen);
                // Tiles that lie further back come first.
                slot = WORKGROUP_SIZE - 1u - lane;
            }
            if (round == ROUND_INVOCATIONS) c = running_carry(running);
            exchange_put(slot, c);
        }
        exchange_scan(slots);
        Carry total_of_round = exchange_total();
        if (round == ROUND_TILE) {
            for (uint k = 0u; k < UNROLL; ++k) before[k] = exchange_prefix(k * WORKGROUP_SIZE + lane);
        }
        barrier();

        bool done = false;              // whether the tile's results can be stored
        if (STAGE == STAGE_LOOK_BACK) {
            uint announced = NO_TILE;
            if (round == ROUND_TILE) {
                own = total_of_round;
                // The first tile's aggregate is inclusive, and published as that.
                announced = number == HELD_TILE || number == 0u ? NO_TILE : number;
            }
            if (round == ROUND_STALLED_TILE) announced = stalled;
            if (lane == 0u && round <= ROUND_STALLED_TILE && announced != NO_TILE) look_back_publish(at, announced, STATUS_AGGREGATE, total_of_round);
            if (lane == 0u && round == ROUND_STALLED_TILE) atomicAdd(scratch_words[fallbacks], 1u);
            if (round == ROUND_LOOK_BACK) {
                behind = carry_combine(total_of_round, behind);
                looked -= min(looked, WORKGROUP_SIZE);
            }
            done = number == 0u || (round == ROUND_LOOK_BACK && seen.outcome == LOOK_FOUND);
            if (!done) {
                seen = look_back(at, looked);
                stalled = looked - 1u - seen.reach;
                round = seen.outcome == LOOK_STALLED ? ROUND_STALLED_TILE : ROUND_LOOK_BACK;
                continue;
            }
            if (lane == 0u && number != HELD_TILE) look_back_publish(at, number, STATUS_INCLUSIVE, carry_combine(behind, own));
            running_add(running, behind);
        } else if (STAGE == STAGE_SCAN) {
            done = round == ROUND_TILE;
        }
        if (done) {
            for (uint k = 0u; k < UNROLL; ++k) {
                Carry ahead = carry_combine(running_carry(running), before[k]);
                if (RUNS != 0u) quad_store_runs(tile_quad(tile, k), quads[k], ahead);
                else quad_store(tile_quad(tile, k), quads[k], ahead);
            }
            if (RUNS != 0u && lane == 0u) {
                scratch_words[tile_heads + tile_base + tile] = running.heads;
                uint heads = STAGE == STAGE_LOOK_BACK ? own.heads : total_of_round.heads;
                if (first + elements == total && tile + 1u == tiles) scratch_words[runs] = running.heads + heads;
            }
        }
        if (STAGE == STAGE_LOOK_BACK) return;
        // Of what invocations found apart this is all, and not more of it.
        if (round == ROUND_INVOCATIONS) running = Running(accumulator_new(), 0u);
        running_add(running, total_of_round);
        if (round == ROUND_TILE) ++tile;
        if (round == ROUND_INVOCATIONS || tile == tile_end) break;
        round = ROUND_TILE;
    }
    if (STAGE == STAGE_REDUCE && lane == 0u) carry_store(carries + earlier * carry_words(), running_carry(running));
}
