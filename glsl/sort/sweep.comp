// A pass of a radix sort on devices with large subgroups: a workgroup goes through one part of the keys, tile by tile, as in tiles.comp, and moves each key and its value in one go.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"
#extension GL_KHR_shader_subgroup_ballot : enable
#extension GL_EXT_control_flow_attributes : enable
#include "sort/interface.glsl"
#include "compact/width.glsl"
#include "sort/digit.glsl"

layout(set = 0, binding = 1, std430) buffer Table { uint table_words[]; };

#include "sort/sweep.glsl"

// For each value of the digit: where the part's next key with it goes.
shared uint places[VALUES];
// Whether all keys of the row share the digit.
shared uint has_one_value;

// This workgroup's part: keys of one row from `part_begin` to before `part_end`, and how many the row has.
uint part_begin;
uint part_end;
uint live;
// Where in the table its counts stand, and the row's totals.
uint column;
uint row_totals;

void find_part(uint part) {
    uint line = part / parts;
    part -= line * parts;
    row_first = (first_row + line) * row_length;
    live = (options & OPTION_COUNTED) != 0u ? min(table_words[count_word], row_length) : row_length;
    part_begin = min(part * part_length, live);
    part_end = part_begin + min(part_length, live - part_begin);
    column = table + line * VALUES * parts + part;
    row_totals = totals + line * VALUES;
}

// Each subgroup counts for itself, so that fewer invocations meet in a word.
void count_digits() {
    uint lane = gl_LocalInvocationIndex;
    for (uint at = lane; at < gl_NumSubgroups * VALUES; at += WORKGROUP_SIZE) pool[at] = 0u;
    barrier();
    uint count = part_end - part_begin;
    uint from = row_first + part_begin;
    uint done = 0u;
    for (; count - done >= TILE; done += TILE) {
        uint digits[MOST_KEYS];
        [[unroll]] for (uint j = 0u; j < KEYS_EACH; ++j) digits[j] = digit_of(input_element(from + done + j * WORKGROUP_SIZE + lane));
        [[unroll]] for (uint j = 0u; j < KEYS_EACH; ++j) atomicAdd(pool[own_counters() + digits[j]], 1u);
    }
    for (uint at = done + lane; at < count; at += WORKGROUP_SIZE) atomicAdd(pool[own_counters() + digit_of(input_element(from + at))], 1u);
    barrier();
    for (uint value = lane; value < VALUES; value += WORKGROUP_SIZE) table_words[column + value * parts] = count_of(value);
}

void main() {
    uint lane = gl_LocalInvocationIndex;
    uint part = workgroup_number();
    if (part >= dispatch_parts) return;
    find_part(first_part + part);
    if (STAGE == STAGE_COUNT) {
        count_digits();
        return;
    }
    if (lane == 0u) has_one_value = 0u;
    barrier();
    uint running = 0u;
    for (uint group = 0u; group < VALUES; group += WORKGROUP_SIZE) {
        uint value = group + lane;
        uint all = value < VALUES ? table_words[row_totals + value] : 0u;
        if (all == live) has_one_value = 1u;
        uint before = before_value(all, running);
        if (value < VALUES) places[value] = before + table_words[column + value * parts];
    }
    if (has_one_value != 0u) {
        copy_keys(part_begin, part_end);
        return;
    }
    for (uint done = 0u; done < part_end - part_begin; done += TILE) {
        uint count = min(TILE, part_end - part_begin - done);
        load_keys(row_first + part_begin + done, count);
        rank_keys(count);
        running = 0u;
        for (uint group = 0u; group < VALUES; group += WORKGROUP_SIZE) {
            uint value = group + lane;
            uint sum = count_of(value);
            uint begin = before_value(sum, running);
            if (value < VALUES) {
                begin_at(value, begin);
                bases[value] = places[value] - begin;
                places[value] += sum;
            }
        }
        barrier();
        order_keys();
        if (VALUE_WORDS > 0u) load_values(part_begin + done, count, 0u);
        barrier();
        move_tile(part_begin + done, count);
        barrier();
    }
}
