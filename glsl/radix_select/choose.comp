// Between two counts: for each line the value of the digit whose keys lie at its place. The counts are cleared for the next digit.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"
#include "radix_select/interface.glsl"

layout(constant_id = 3) const uint EXCHANGE_SLOTS = 1024u;

layout(set = 0, binding = 0, std430) buffer Table { uint table_words[]; };

const bool HAS_HEADS = false;
const uint EXCHANGE_HEAD_SLOTS = 1u;
#define CARRY_HAS_ARITHMETIC true
#include "include/state/count.glsl"
#include "include/scan/carry.glsl"
#include "include/scan/exchange.glsl"

uint counts_begin;
uint count_of(uint value) { return table_words[counts_begin + value]; }
#include "radix_select/choose.glsl"

void main() {
    uint line = workgroup_number();
    if (line >= lines) return;
    counts_begin = counts_at(line);
    choose(table_words[place_at(line)]);
    if (gl_LocalInvocationIndex == 0u) {
        uint word = (options & OPTION_UPPER) != 0u ? high_at(line) : low_at(line);
        table_words[word] |= chosen[0] << shift;
        table_words[place_at(line)] = chosen[1];
    }
    for (uint value = gl_LocalInvocationIndex; value < VALUES; value += WORKGROUP_SIZE) table_words[counts_begin + value] = 0u;
}
