// Between counting and moving: for each row and value of the digit, how many keys with it are in the parts before each part, in place, and in all.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"
#include "include/group_number.glsl"

layout(constant_id = 0) const uint WORKGROUP_SIZE = 128u;
layout(local_size_x_id = 0, local_size_y = 1, local_size_z = 1) in;
layout(constant_id = 3) const uint EXCHANGE_SLOTS = 1024u;

layout(set = 0, binding = 0, std430) buffer Table { uint table_words[]; };

layout(push_constant) uniform PushConstants {
    uint lines;          // rows times values
    uint parts;          // parts of a row
    uint table;          // word where the table begins
    uint totals;         // word where the totals begin
};

const bool HAS_HEADS = false;
const uint EXCHANGE_HEAD_SLOTS = 1u;
#define CARRY_HAS_ARITHMETIC true
#include "include/state/count.glsl"
#include "include/scan/carry.glsl"
#include "include/scan/exchange.glsl"

void main() {
    uint line = workgroup_number();
    if (line >= lines) return;
    uint begin = table + line * parts;
    uint running = 0u;
    for (uint first = 0u; first < parts; first += WORKGROUP_SIZE) {
        uint part = first + gl_LocalInvocationIndex;
        uint count = part < parts ? table_words[begin + part] : 0u;
        exchange_put(gl_LocalInvocationIndex, Carry(State(count), 0u));
        exchange_scan(WORKGROUP_SIZE);
        if (part < parts) table_words[begin + part] = running + exchange_prefix(gl_LocalInvocationIndex).state.value;
        running += exchange_total().state.value;
        barrier();
    }
    if (gl_LocalInvocationIndex == 0u) table_words[totals + line] = running;
}
