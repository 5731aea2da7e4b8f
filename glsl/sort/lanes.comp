// A pass of a radix sort in which invocations have nothing to do with each other: each has counters of its own, and goes through one part of the keys from the first to the last. It is for devices that run on
// a processor, where an invocation is quick and waiting for others is not.
#version 450
#extension GL_GOOGLE_include_directive : enable
#extension GL_EXT_control_flow_attributes : enable
#include "include/extensions.glsl"
#include "sort/interface.glsl"
#include "compact/width.glsl"
#include "sort/digit.glsl"

layout(set = 0, binding = 1, std430) buffer Table { uint table_words[]; };
layout(set = 0, binding = 2, std430) buffer OutputWords { uint output_words[]; };
layout(set = 0, binding = 3, std430) readonly buffer ValueWords { uint value_words[]; };

#include "sort/store.glsl"

// For each value of the digit, one of each invocation.
shared uint counters[COUNTER_SLOTS];

uint counter_at(uint value) { return value * WORKGROUP_SIZE + gl_LocalInvocationIndex; }

// What happens to keys: they are counted, or moved to where the counters say, or, where all keys of the row share the digit, each stays where it is. These are constants where they are used, so
// that nothing is asked for each key.
const uint COUNTS = 0u;
const uint MOVES = 1u;
const uint STAYS = 2u;

// Key `number` of the row whose first one is `row_first` of the array.
void take(Bits key, uint number, uint row_first, uint how) {
    uint place = number;
    if (how != STAYS) {
        uint counter = counter_at(digit_of(key));
        place = counters[counter];
        counters[counter] = place + 1u;
    }
    if (how == COUNTS) return;
    uint to = row_first + place * inner;
    if (to < window_first || to >= window_end) return;
    if (VALUE_WORDS > 0u) store_value(to - window_base, load_value(row_first + number * inner - first_value, number));
    else STORE_KEY(output_words, to - window_base, key);
}

// Keys of a row from `number` to before `end`: whole wide loads where the first one begins with one, and what is left.
void take_all(uint number, uint end, uint row_first, uint how) {
    uint at = row_first + number * inner - first;
    if (inner == 1u && at % PER_QUAD == 0u) {
        uint quad = at / PER_QUAD;
        for (uint quads = (end - number) / PER_QUAD; quads > 0u; --quads) {
            uvec4 raw = input_quad_load(quad);
            ++quad;
            [[unroll]] for (uint j = 0u; j < PER_QUAD; ++j) take(quad_element(raw, j), number + j, row_first, how);
            number += PER_QUAD;
        }
    }
    for (; number < end; ++number) take(input_element(row_first + number * inner - first), number, row_first, how);
}

void main() {
    uint part = workgroup_number() * WORKGROUP_SIZE + gl_LocalInvocationIndex;
    if (part >= dispatch_parts) return;
    part += first_part;
    uint line = part / parts;
    part -= line * parts;
    uint row = first_row + line;
    uint row_first = row / inner * row_length * inner + row % inner;
    uint live = (options & OPTION_COUNTED) != 0u ? min(table_words[count_word], row_length) : row_length;
    uint number = min(part * part_length, live);
    uint end = number + min(part_length, live - number);
    uint column = table + line * VALUES * parts + part;

    // Whether all keys of the row share the digit.
    bool stays = false;
    uint before = 0u;
    for (uint value = 0u; value < VALUES; ++value) {
        uint count = 0u;
        if (STAGE == STAGE_MOVE) {
            count = before + table_words[column + value * parts];
            uint all = table_words[totals + line * VALUES + value];
            if (all == live) stays = true;
            before += all;
        }
        counters[counter_at(value)] = count;
    }
    if (STAGE == STAGE_ROWS) {
        take_all(number, end, row_first, COUNTS);
        for (uint value = 0u; value < VALUES; ++value) {
            uint count = counters[counter_at(value)];
            if (count == live) stays = true;
            counters[counter_at(value)] = before;
            before += count;
        }
    }
    if (STAGE != STAGE_COUNT) {
        if (stays) take_all(number, end, row_first, STAYS);
        else take_all(number, end, row_first, MOVES);
    } else {
        take_all(number, end, row_first, COUNTS);
        for (uint value = 0u; value < VALUES; ++value) table_words[column + value * parts] = counters[counter_at(value)];
    }
}
