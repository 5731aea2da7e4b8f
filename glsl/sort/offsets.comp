// Between counting and moving: for each row and value of the digit, how many keys with it are in the parts before each part, in place, and in all.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"
#include "include/group_number.glsl"

layout(constant_id = 0) const uint WORKGROUP_SIZE = 128u;
layout(local_size_x_id = 0, local_size_y = 1, local_size_z = 1) in;
layout(constant_id = 3) const uint EXCHANGE_SLOTS = 1024u;
// Whether each invocation has a line of its own and waits for no other, as there are few parts or many lines.
layout(constant_id = 4) const uint BY_INVOCATION = 0u;

layout(set = 0, binding = 0, std430) buffer Table { uint table_words[]; };

layout(push_constant) uniform PushConstants {
    uint lines;          // rows times values
    uint parts;          // parts of a row
    uint table;          // word where the table begins
    uint totals;         // word where the totals begin
    uint values;         // values of a digit
    uint offsets;        // word where the offsets of segments begin
    uint segments;       // how many segments there are, or none
    uint row_length;     // how many keys there are in all
    uint longest;        // keys of a part of a segment
};

const bool HAS_HEADS = false;
const uint EXCHANGE_HEAD_SLOTS = 1u;
#define CARRY_HAS_ARITHMETIC true
#include "include/state/count.glsl"
#include "include/scan/carry.glsl"
#include "include/scan/exchange.glsl"

#include "sort/segments.glsl"

// The segment that has parts and begins in the keys of part `begun`: how many of the parts are its own.
uint parts_of(uint begun) {
    uint begin = begun * longest;
    uint behind = begin > 0xffffffffu - longest ? segments : segment_from(begin + longest);
    if (behind == 0u) return 0u;
    uint key = segment_offset(behind - 1u);
    uint end = segment_end(behind - 1u);
    return key >= begin && end - key > longest ? (end - 1u) / longest - begun + 1u : 0u;
}

void add_up(uint line) {
    uint at = table + line * parts;
    uint running = 0u;
    for (uint part = 0u; part < parts; ++part) {
        uint count = table_words[at + part];
        table_words[at + part] = running;
        running += count;
    }
    table_words[totals + line] = running;
}

void main() {
    if (BY_INVOCATION != 0u) {
        uint own = workgroup_number() * WORKGROUP_SIZE + gl_LocalInvocationIndex;
        if (own < lines) add_up(own);
        return;
    }
    uint line = workgroup_number();
    if (line >= lines) return;
    uint own_parts = parts;
    uint begin = table + line * parts;
    uint begun = line / values;
    if (segments > 0u) {
        own_parts = parts_of(begun);
        begin = table + line % values * parts + 2u * begun;
    }
    uint running = 0u;
    for (uint first = 0u; first < own_parts; first += WORKGROUP_SIZE) {
        uint part = first + gl_LocalInvocationIndex;
        // Of segments the first part is the second of two, and the others are the first ones.
        uint at = begin + (segments == 0u ? part : part == 0u ? 1u : 2u * part);
        uint count = part < own_parts ? table_words[at] : 0u;
        exchange_put(gl_LocalInvocationIndex, Carry(State(count), 0u));
        exchange_scan(WORKGROUP_SIZE);
        if (part < own_parts) table_words[at] = running + exchange_prefix(gl_LocalInvocationIndex).state.value;
        running += exchange_total().state.value;
        barrier();
    }
    if (gl_LocalInvocationIndex == 0u) table_words[totals + line] = running;
}
