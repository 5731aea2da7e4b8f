// Reduces segments of neighbouring elements. Elements and the ends of segments are one list, merged by their places (an end comes behind the last element
// before it), where they weigh more than an element does, and each workgroup takes an equal share of it (the merge path, Odeh, Green, Mwassi, Shmueli and Birk 2012): so it makes no difference whether segments are long,
// short or empty. It goes through its share tile by tile. In a tile invocations read a few wide loads each, find by an exchange what came before
// each of those since the last beginning of a segment, and take a segment's end each: what came before the wide load that the segment ends in, and the elements
// of that. Tiles within one segment are only added up.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"
#include "segmented_reduce/interface.glsl"
#include "include/element.glsl"
#define STATE_HAS_NO_PIVOTS
#include "reduce/state.glsl"

#include "include/scan/carry.glsl"
#include "include/scan/exchange.glsl"
#include "segmented_reduce/record.glsl"

// Words of shared memory for the beginnings of segments in two tiles, a bit for each element.
layout(constant_id = 6) const uint MARK_WORDS = 128u;

layout(push_constant) uniform PushConstants {
    uint most_segments; // segments; where the device counts them, at most
    uint groups;        // workgroups of this dispatch
    uint group_base;    // workgroups of earlier dispatches
    uint first;         // element at which the bound input begins, a multiple of those in a wide load
    uint count;         // elements that are bound
    uint options;       // OPTION_*
    uint count_word;    // where in scratch the number of segments is, if the device has it
    uint segment_length; // elements of a segment, where all have as many
    uint length;        // elements of the whole array
    uint end_weight;    // elements that the end of a segment is as much work as
};

#include "segmented_reduce/offsets.glsl"

// Segments that there are.
uint segments;

// Elements before these, and behind them, are another dispatch's.
const uint OPTION_BEFORE = 1u;
const uint OPTION_BEHIND = 2u;
// There are other workgroups, which have to know what this one has.
const uint OPTION_RECORD = 4u;
// A segment's first element is in reach of all workgroups.
const uint OPTION_PIVOTS = 8u;

// Wide loads of an invocation in a tile.
const uint UNROLL = 4u;
const uint TILE_QUADS = UNROLL * WORKGROUP_SIZE;
const uint TILE = TILE_QUADS * ELEMENTS_PER_QUAD;

// Elements of a segment that one invocation takes alone, and how many such it takes before all look whether there are more.
const uint SHORT = 8u * ELEMENTS_PER_QUAD;
const uint SHORT_SEGMENTS = 4u;

shared uint marks[MARK_WORDS];
shared uint next_segment[2];
shared uint search_reached[2][3];
shared uint long_seen[3];

#if defined(STATE_MOMENTS32) || defined(STATE_MOMENTS64)
#define HAS_PIVOTS
#endif

// Elements are taken relative to this one, the first of their segment.
Pivot pivot_of(Element e) {
#ifdef HAS_PIVOTS
    return pivot_from(e);
#else
    return Pivot(0);
#endif
}

// The pivot of a segment that begins with element `begin`.
Pivot pivot_at(uint begin) {
#ifdef HAS_PIVOTS
    if ((options & OPTION_PIVOTS) != 0u) return pivot_of(element_load(min(begin - first, count - 1u)));
#endif
    return Pivot(0);
}

// How many of `ends` ends from that of segment `from` on begin before a place of the list that begins with element `begin`, for two places at once. An end takes
// `weight` places; where that is 0 only elements count: how many ends lie at elements before the place. Each invocation tries an end in each round, and the interval that is left shrinks by their number.
uvec2 search(uint from, uint ends, uint begin, uvec2 places, uint weight) {
    uint lane = gl_LocalInvocationIndex;
    uvec2 low = uvec2(0u);
    uvec2 high = uvec2(ends);
    if (lane < 3u) {
        search_reached[0][lane] = 0u;
        search_reached[1][lane] = 0u;
    }
    barrier();
    for (uint turn = 0u; low.x < high.x || low.y < high.y; turn = (turn + 1u) % 3u) {
        uvec2 step = (high - low) / (WORKGROUP_SIZE + 1u) + 1u;
        for (uint t = 0u; t < 2u; ++t) {
            uint offset = (lane + 1u) * step[t] - 1u;
            if (offset >= high[t] - low[t]) continue;
            uint i = low[t] + offset;
            uint before = weight * i;
            if (before < places[t] && end_of(from + i) - begin < places[t] - before) atomicMax(search_reached[t][turn], lane + 1u);
        }
        barrier();
        uvec2 reached = uvec2(search_reached[0][turn], search_reached[1][turn]);
        uint later = (turn + 2u) % 3u;
        if (lane == 0u) {
            search_reached[0][later] = 0u;
            search_reached[1][later] = 0u;
        }
        high = min(high, low + (reached + 1u) * step - 1u);
        low += reached * step;
    }
    barrier();
    return low;
}

// The element at a place, behind `passed` ends of which that before segment `segment` is the last. A place among those that an end takes is at the end's element.
uint place_of_element(uint low, uint place, uint segment, uint passed, uint high) {
    uint element = low + place - min(place, end_weight * passed);
    if (passed > 0u) element = max(element, offset_of(segment));
    return min(element, high);
}

// A tile: its wide loads lie from element `base` on; of the elements begin..end, which are live.
struct Tile { uint base; uint begin; uint end; uint marks; };

void mark(Tile t, uint element) {
    uint at = element - t.base;
    uint word = t.marks + at / 32u;
    uint bit = 1u << (at % 32u);
    // Many empty segments may begin where one does.
    if ((marks[word] & bit) == 0u) atomicOr(marks[word], bit);
}

uint marks_of_quad(Tile t, uint quad) {
    uint at = quad * ELEMENTS_PER_QUAD;
    return (marks[t.marks + at / 32u] >> (at % 32u)) & ((1u << ELEMENTS_PER_QUAD) - 1u);
}

// The last beginning in the tile before a quad, or `otherwise`.
uint begin_before(Tile t, uint quad, uint otherwise) {
    uint at = quad * ELEMENTS_PER_QUAD;
    uint word = at / 32u;
    uint bits = marks[t.marks + word] & ((1u << (at % 32u)) - 1u);
    while (bits == 0u && word > 0u) bits = marks[t.marks + --word];
    return bits == 0u ? otherwise : t.base + 32u * word + uint(findMSB(bits));
}

// The elements of a quad; those that are not bound are others.
void quad_load(uint begin, out Element e[ELEMENTS_PER_QUAD]) {
    uint at = begin - first;
    if (at + ELEMENTS_PER_QUAD <= count) {
        element_unpack(element_quad(at / ELEMENTS_PER_QUAD), e);
    } else {
        for (uint j = 0u; j < ELEMENTS_PER_QUAD; ++j) e[j] = element_load(min(at + j, count - 1u));
    }
}

// What elements from..end of a quad come to.
State part_state(Element e[ELEMENTS_PER_QUAD], uint begin, uint from, uint end, Pivot pivot) {
    if (from <= begin && begin + ELEMENTS_PER_QUAD <= end) return state_from_quad(e, begin, pivot);
    State s = state_identity();
    for (uint j = 0u; j < ELEMENTS_PER_QUAD; ++j)
        if (begin + j >= from && begin + j < end) s = state_combine(s, state_from(e[j], begin + j, pivot));
    return s;
}

State whole_quad_state(uvec4 loaded, uint quad, Pivot pivot) {
    Element e[ELEMENTS_PER_QUAD];
    element_unpack(loaded, e);
    return state_from_quad(e, first + quad * ELEMENTS_PER_QUAD, pivot);
}

// All of a segment, where no wide load leaves what is bound.
State short_state(uint begin, uint end, Pivot pivot) {
    State s = state_identity();
    for (uint at = begin - (begin - first) % ELEMENTS_PER_QUAD; at < end; at += ELEMENTS_PER_QUAD) {
        Element e[ELEMENTS_PER_QUAD];
        element_unpack(element_quad((at - first) / ELEMENTS_PER_QUAD), e);
        for (uint j = 0u; j < ELEMENTS_PER_QUAD; ++j) {
            State one = state_from(e[j], at + j, pivot);
            if (at + j < begin || at + j >= end) one = state_identity();
            s = state_combine(s, one);
        }
    }
    return s;
}

// What a quad comes to, from the last beginning of a segment in it on.
Carry quad_carry(Tile t, uint quad, uint open_begin) {
    uint begin = t.base + quad * ELEMENTS_PER_QUAD;
    if (begin >= t.end) return carry_identity();
    Element e[ELEMENTS_PER_QUAD];
    quad_load(begin, e);
    uint bits = marks_of_quad(t, quad);
    uint from = max(begin, t.begin);
    Pivot pivot = Pivot(0);
    if (bits != 0u) from = begin + uint(findMSB(bits));
#ifdef HAS_PIVOTS
    pivot = pivot_at(bits != 0u ? from : begin_before(t, quad, open_begin));
#endif
    return Carry(part_state(e, begin, from, t.end, pivot), bits != 0u ? 1u : 0u);
}

// What goes on from tile to tile; sums of floats carry what they lose.
struct Running { Accumulator sum; uint heads; };

void running_add(inout Running r, Carry c) {
    if (c.heads != 0u) r.sum = accumulator_new();
    accumulator_add(r.sum, c.state);
    r.heads = min(r.heads + c.heads, 1u);
}

void main() {
    uint group = workgroup_number();
    uint lane = gl_LocalInvocationIndex;
    if (group >= groups) return;
    segments = COUNTED != 0u ? min(scratch_words[count_word], most_segments) : most_segments;

    // The elements of segments that are in reach, and the segments that end among them.
    uint bound_end = first + count;
    uint first_offset = offset_of(0);
    uint last_offset = offset_of(segments);
    uint low = min(max(first, first_offset), bound_end);
    uint high = max(low, min(bound_end, last_offset));
    uvec2 ends = uvec2(0u, segments);
    if ((options & (OPTION_BEFORE | OPTION_BEHIND)) != 0u) {
        uvec2 found = search(0u, segments, 0u, uvec2(first, bound_end) + 1u, 0u);
        if ((options & OPTION_BEFORE) != 0u) ends.x = found.x;
        if ((options & OPTION_BEHIND) != 0u) ends.y = max(found.y, ends.x);
    }
    uint total = high - low + end_weight * (ends.y - ends.x);
    uint share = (total + groups - 1u) / groups;
    uvec2 places = min(uvec2(group, group + 1u) * share, uvec2(total));
    uvec2 passed = search(ends.x, ends.y - ends.x, low, places, end_weight);
    uint segment_begin = ends.x + passed.x;
    uint segment_end = ends.x + passed.y;
    uint element_begin = place_of_element(low, places.x, segment_begin, passed.x, high);
    uint element_end = max(element_begin, place_of_element(low, places.y, segment_end, passed.y, high));

    const uint words = MARK_WORDS / 2u;
    for (uint w = lane; w < MARK_WORDS; w += WORKGROUP_SIZE) marks[w] = 0u;
    if (lane < 2u) next_segment[lane] = 0u;
    if (lane < 3u) long_seen[lane] = 0u;
    barrier();

    // The segment that the next element is of, or the next end.
    uint open = segment_begin;
    uint open_begin = offset_of(min(open, segments));
    uint open_end = offset_of(min(open + 1u, segments));
    bool joins = open_begin < element_begin && segment_begin < segment_end;
    if ((options & OPTION_RECORD) != 0u && lane == 0u)
        scratch_words[record_segment(group_base + group)] = joins ? segment_begin : NO_SEGMENT;

    Running running = Running(accumulator_new(), 0u);
    // What this invocation has found in tiles within the open segment.
    Accumulator own = accumulator_new();
    uint short_turn = 0u;
    // Wide loads up to here lie within what is bound.
    uint last_whole = bound_end - count % ELEMENTS_PER_QUAD;
    uint begin_offset = (element_begin - first) % ELEMENTS_PER_QUAD;
    Tile t = Tile(element_begin - begin_offset, element_begin, 0u, 0u);
    bool more = places.x < places.y;
    while (more) {
        // Whole tiles of the open segment, but for the last: nothing but their elements is looked at.
        uint open_stop = min(open_end, element_end);
        uint whole = open_begin < t.begin && t.begin == t.base && open_stop > t.base ? (open_stop - 1u - t.base) / TILE : 0u;
        Pivot open_pivot = pivot_at(open_begin);
        for (uint i = 0u; i < whole; ++i) {
            uint quad = (t.base - first) / ELEMENTS_PER_QUAD + lane;
            // All loads first, so that they are under way together.
            uvec4 loaded[UNROLL];
            for (uint k = 0u; k < UNROLL; ++k) loaded[k] = element_quad(quad + k * WORKGROUP_SIZE);
            State block = whole_quad_state(loaded[0], quad, open_pivot);
            for (uint k = 1u; k < UNROLL; ++k)
                block = state_combine(block, whole_quad_state(loaded[k], quad + k * WORKGROUP_SIZE, open_pivot));
            accumulator_add(own, block);
            t.base += TILE;
        }
        bool has_own = whole > 0u;
        if (has_own) t.begin = t.base;

        // Short segments, as many as there are one after another: an invocation takes all of one.
        uint run = open;
        bool may_run = !has_own && open_begin >= t.begin;
        for (bool running_on = may_run; running_on;) {
            uint stop = min(run + SHORT_SEGMENTS * WORKGROUP_SIZE, segment_end);
            bool is_short = stop > run && end_of(stop - 1u) <= last_whole;
            // Offsets that do not ascend must not lead out of what is bound.
            for (uint segment = run + lane; segment < stop; segment += WORKGROUP_SIZE) {
                uint begin = offset_of(segment);
                is_short = is_short && end_of(segment) - begin <= SHORT && begin >= first && end_of(segment) <= last_whole;
            }
            if (!is_short) long_seen[short_turn] = 1u;
            barrier();
            running_on = long_seen[short_turn] == 0u;
            uint later = (short_turn + 2u) % 3u;
            if (lane == 0u) long_seen[later] = 0u;
            short_turn = (short_turn + 1u) % 3u;
            if (running_on) {
                for (uint segment = run + lane; segment < stop; segment += WORKGROUP_SIZE) {
                    uint begin = offset_of(segment);
                    uint end = end_of(segment);
                    segment_store(segment, short_state(begin, end, pivot_at(begin)), begin, end);
                }
                run = stop;
            }
        }
        if (run > open) {
            running = Running(accumulator_new(), 1u);
            open = run;
            open_begin = offset_of(min(open, segments));
            open_end = offset_of(min(open + 1u, segments));
            t.begin = min(open_begin, element_end);
            t.base = t.begin - (t.begin - first) % ELEMENTS_PER_QUAD;
        }

        // A tile of any segments.
        t.end = element_end - t.base <= TILE ? element_end : t.base + TILE;
        more = t.end < element_end;
        uint next = open;
        {
            // Where segments begin in the tile, and which of them end in it.
            uint turn = t.marks / max(words, 1u);
            if (lane == 0u && open_begin >= t.begin && open_begin < t.end) mark(t, open_begin);
            uint reached = open;
            for (uint segment = open + lane; segment < segment_end; segment += WORKGROUP_SIZE) {
                uint end = end_of(segment);
                if (end > t.end) break;
                reached = segment + 1u;
                if (end >= t.begin && end < t.end) mark(t, end);
            }
            if (reached > open) atomicMax(next_segment[turn], reached);
            barrier();
            next = max(next_segment[turn], open);
            // The other tile's are not looked at any more.
            for (uint w = lane; w < words; w += WORKGROUP_SIZE) marks[words - t.marks + w] = 0u;
            if (lane == 0u) next_segment[1u - turn] = 0u;
        }

        uint slots = 0u;
        if (has_own) {
            exchange_put(lane, Carry(accumulator_state(own), 0u));
            slots = WORKGROUP_SIZE;
        }
        uint quads = slots;
        for (uint k = 0u; k < UNROLL; ++k) {
            uint quad = k * WORKGROUP_SIZE + lane;
            exchange_put(quads + quad, quad_carry(t, quad, open_begin));
        }
        slots += TILE_QUADS;
        exchange_scan(slots);
        for (uint segment = open + lane; segment < next; segment += WORKGROUP_SIZE) {
            uint begin = offset_of(segment);
            uint end = end_of(segment);
            State s = state_identity();
            if (begin < end && end > t.begin) {
                uint quad = (end - 1u - t.base) / ELEMENTS_PER_QUAD;
                uint quad_begin = t.base + quad * ELEMENTS_PER_QUAD;
                uint from = max(max(begin, quad_begin), t.begin);
                Element e[ELEMENTS_PER_QUAD];
                quad_load(quad_begin, e);
                s = part_state(e, quad_begin, from, end, pivot_at(begin));
                if (begin < from) {
                    Carry before = exchange_prefix(quads + quad);
                    if (before.heads == 0u) before.state = state_combine(accumulator_state(running.sum), before.state);
                    s = state_combine(before.state, s);
                }
            }
            if (segment == segment_begin && joins) words_store(record_state(group_base + group), s);
            else segment_store(segment, s, begin, end);
        }
        running_add(running, exchange_total());
        barrier();
        own = accumulator_new();
        if (next > open) {
            open = next;
            open_begin = offset_of(min(open, segments));
            open_end = offset_of(min(open + 1u, segments));
            // A short segment that only begins in the tile is left to the next one, which may begin a run of short ones with it.
            if (more && open < segment_end && open_begin > t.begin && open_begin < t.end && open_end - open_begin <= SHORT) {
                running = Running(accumulator_new(), 1u);
                t.end = open_begin;
            }
        }
        t.marks = words - t.marks;
        t.begin = t.end;
        t.base = t.begin - (t.begin - first) % ELEMENTS_PER_QUAD;
    }
    if ((options & OPTION_RECORD) != 0u && lane == 0u)
        carry_store(record_carry(group_base + group), Carry(accumulator_state(running.sum), running.heads));
}
