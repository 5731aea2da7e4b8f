// Short rows: each key is compared with all of its row, which says its place in the order; the first ones are put there, or the one at a place is given, or all are arranged around that.
// A workgroup has a few rows at once.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"
#include "radix_select/interface.glsl"
#include "compact/width.glsl"
#include "radix_select/keys.glsl"

// Words of shared memory for keys.
layout(constant_id = 3) const uint KEY_SLOTS = 1024u;

// Words for the rows whose keys are arranged around one of them: one, if none are.
layout(constant_id = 4) const uint ROW_SLOTS = 1024u;

layout(set = 0, binding = 1, std430) buffer KeyWords { uint key_words[]; };
layout(set = 0, binding = 2, std430) buffer PositionWords { uint position_words[]; };

#include "radix_select/results.glsl"

shared uint shared_keys[KEY_SLOTS];

// Which of the workgroup's keys is the one at the place of its row that the others are arranged around.
shared uint pivots[ROW_SLOTS];

void shared_put(uint at, Bits key) {
#if defined(WIDTH_W64)
    shared_keys[2u * at] = key.x;
    shared_keys[2u * at + 1u] = key.y;
#else
    shared_keys[at] = key;
#endif
}

Bits shared_get(uint at) {
#if defined(WIDTH_W64)
    return uvec2(shared_keys[2u * at], shared_keys[2u * at + 1u]);
#else
    return shared_keys[at];
#endif
}

// Before the key that the row is arranged around, equal to it, or behind it.
uint side_of(Bits key, Bits pivot) {
    return key_less(key, pivot) ? 0u : (bits_differ(key, pivot) ? 2u : 1u);
}

// All keys of the workgroup's rows, when it is known what they are arranged around.
void arrange(uint own_row, uint begin, uint count) {
    for (uint at = gl_LocalInvocationIndex; at < count; at += WORKGROUP_SIZE) {
        uint row = at / row_length;
        uint row_begin = row * row_length;
        Bits pivot = shared_get(pivots[row]);
        uint side = side_of(shared_get(at), pivot);
        // Behind all that are on a side before its own, and those before it that are on its own.
        uint place = 0u;
        for (uint other = row_begin; other < row_begin + row_length; ++other) {
            uint other_side = side_of(shared_get(other), pivot);
            if (other_side < side || (other_side == side && other < at)) ++place;
        }
        store((first_row + own_row + row) * first_results + place, input_element(begin + at), at - row_begin);
    }
}

void main() {
    uint lane = gl_LocalInvocationIndex;
    uint own_row = workgroup_number() * rows_each;
    if (own_row >= rows) return;
    uint own_rows = min(rows_each, rows - own_row);
    uint count = own_rows * row_length;
    uint begin = (first_row + own_row) * row_length - first;
    for (uint at = lane; at < count; at += WORKGROUP_SIZE) shared_put(at, select_key(input_element(begin + at)));
    barrier();
    for (uint at = lane; at < count; at += WORKGROUP_SIZE) {
        uint row = at / row_length;
        uint row_begin = row * row_length;
        Bits key = shared_get(at);
        uint place = 0u;
        // Of equal keys the one that stands first is first.
        for (uint other = row_begin; other < at; ++other)
            if (!key_less(key, shared_get(other))) ++place;
        for (uint other = at + 1u; other < row_begin + row_length; ++other)
            if (key_less(shared_get(other), key)) ++place;
        if ((options & OPTION_AROUND) != 0u) {
            if (place == around) pivots[row] = at;
            continue;
        }
        if ((options & OPTION_AT) != 0u) {
            if (place == first_results) store_key(first_row + own_row + row - first_key, element_of_key(key));
            continue;
        }
        if (place < first_results) store((first_row + own_row + row) * first_results + place, input_element(begin + at), at - row_begin);
    }
    if ((options & OPTION_AROUND) == 0u) return;
    barrier();
    arrange(own_row, begin, count);
}
