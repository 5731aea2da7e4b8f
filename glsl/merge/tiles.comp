// Merges two sorted arrays along their merge path, a tile of results in shared memory at a time: a workgroup finds how many of the results before its tile come from either array, and before its end, loads these elements, merges them as
// path.comp does, and writes results side by side.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"
#include "include/elementwise/invocation.glsl"
#include "compact/width.glsl"
#include "include/ordered.glsl"
#include "merge/interface.glsl"

// Results of an invocation. A tile has a multiple of 4.
layout(constant_id = 1) const uint RESULTS_EACH = 8u;
// Words of shared memory for the elements of a tile.
layout(constant_id = 2) const uint TILE_SLOTS = 1024u;

layout(set = 0, binding = 1, std430) readonly buffer SecondWords { uint second_words[]; };
layout(set = 0, binding = 2, std430) writeonly buffer OutputWords { uint output_words[]; };
// What the device counted, if it did: elements of the first array, and of the second.
layout(set = 0, binding = 3, std430) readonly buffer Counts { uint counts[]; };

layout(push_constant) uniform PushConstants {
    uint first_length;   // elements of the first array
    uint second_length;  // and of the second
    uint tiles;          // workgroups of this dispatch
    uint tiles_before;   // and of the dispatches before
    uint options;        // OPTION_*
};

// Most results of an invocation: registers need a size.
const uint MOST_EACH = 16u;
const uint TILE = WORKGROUP_SIZE * RESULTS_EACH;

// Elements of the first array and, behind them, of the second; then results.
shared uint slots[TILE_SLOTS];
// How many results before the tile come from the first array, and how many before its end.
shared uint bounds[2];

BITS_ELEMENT(second_element, second_words)

Bits key_of(Bits b) { return ordered_key(b, (options >> OPTION_KIND_SHIFT) & 3u, (options & OPTION_DESCENDING) != 0u); }

Bits slot_get(uint at) {
#if defined(WIDTH_W64)
    return uvec2(slots[2u * at], slots[2u * at + 1u]);
#else
    return slots[at];
#endif
}

void slot_put(uint at, Bits b) {
#if defined(WIDTH_W64)
    slots[2u * at] = b.x;
    slots[2u * at + 1u] = b.y;
#else
    slots[at] = b;
#endif
}

// How many of the first `place` results come from the first of two arrays of n and m elements: of all, or of those of the tile.
uint from_first(uint place, uint n, uint m, bool in_tile) {
    uint low = place > m ? place - m : 0u;
    uint high = min(place, n);
    for (uint round = 0u; round < 32u && low < high; ++round) {
        uint middle = low + (high - low) / 2u;
        Bits a, b;
        if (in_tile) {
            a = slot_get(middle);
            b = slot_get(n + place - 1u - middle);
        } else {
            a = input_element(middle);
            b = second_element(place - 1u - middle);
        }
        if (key_less(key_of(b), key_of(a))) high = middle;
        else low = middle + 1u;
    }
    return low;
}

void main() {
    uint lane = gl_LocalInvocationIndex;
    uint tile = workgroup_number();
    if (tile >= tiles) return;
    uint n = (options & OPTION_COUNTED_FIRST) != 0u ? min(counts[0], first_length) : first_length;
    uint m = (options & OPTION_COUNTED_SECOND) != 0u ? min(counts[1], second_length) : second_length;
    uint begin = (tiles_before + tile) * TILE;
    if (begin >= n + m) return;
    uint count = min(TILE, n + m - begin);
    for (uint end = lane; end < 2u; end += WORKGROUP_SIZE) bounds[end] = from_first(begin + end * count, n, m, false);
    barrier();
    uint first_begin = bounds[0];
    uint own_n = bounds[1] - first_begin;
    uint second_begin = begin - first_begin;
    uint own_m = count - own_n;
    for (uint at = lane; at < count; at += WORKGROUP_SIZE) {
        Bits element;
        if (at < own_n) element = input_element(first_begin + at);
        else element = second_element(second_begin + at - own_n);
        slot_put(at, element);
    }
    barrier();

    bool numbers = (options & OPTION_NUMBERS) != 0u;
    uint second_number = ((options & OPTION_PLANNED_NUMBERS) != 0u ? first_length : n) + second_begin;
    uint place = min(lane * RESULTS_EACH, count);
    uint own = min(RESULTS_EACH, count - place);
    uint i = from_first(place, own_n, own_m, true);
    uint j = place - i;
    Bits taken[MOST_EACH];
    Bits a = Bits(0u), b = Bits(0u);
    if (i < own_n) a = slot_get(i);
    if (j < own_m) b = slot_get(own_n + j);
    for (uint k = 0u; k < own; ++k) {
        bool takes_first = j >= own_m || (i < own_n && !key_less(key_of(b), key_of(a)));
        if (numbers) taken[k] = Bits(takes_first ? first_begin + i : second_number + j);
        else taken[k] = takes_first ? a : b;
        if (takes_first) {
            ++i;
            if (i < own_n) a = slot_get(i);
        } else {
            ++j;
            if (j < own_m) b = slot_get(own_n + j);
        }
    }
    barrier();
    for (uint k = 0u; k < own; ++k) {
#if defined(WIDTH_W64)
        if (numbers) slots[place + k] = taken[k].x;
        else slot_put(place + k, taken[k]);
#else
        slot_put(place + k, taken[k]);
#endif
    }
    barrier();
    if (numbers) {
        for (uint at = lane; at < count; at += WORKGROUP_SIZE) output_words[begin + at] = slots[at];
        return;
    }
#if defined(PER_WORD)
    const uint BITS = 32u / PER_WORD;
    for (uint at = lane; at < (count + PER_WORD - 1u) / PER_WORD; at += WORKGROUP_SIZE) {
        uint word = 0u;
        for (uint k = 0u; k < PER_WORD; ++k) {
            uint from = at * PER_WORD + k;
            if (from < count) word |= slots[from] >> (32u - BITS) << (BITS * k);
        }
        output_words[begin / PER_WORD + at] = word;
    }
#else
    for (uint at = lane; at < count * WORDS; at += WORKGROUP_SIZE) output_words[begin * WORDS + at] = slots[at];
#endif
}
