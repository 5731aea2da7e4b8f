// The first keys of one part of a row, or all of it around the threshold, when every part is split at that.
#version 450
#extension GL_GOOGLE_include_directive : enable
#extension GL_EXT_control_flow_attributes : enable
#include "include/extensions.glsl"
#include "radix_select/interface.glsl"
#include "compact/width.glsl"
#include "radix_select/keys.glsl"

layout(constant_id = 3) const uint EXCHANGE_SLOTS = 1024u;

layout(set = 0, binding = 1, std430) readonly buffer Table { uint table_words[]; };
layout(set = 0, binding = 2, std430) buffer KeyWords { uint key_words[]; };
layout(set = 0, binding = 3, std430) buffer PositionWords { uint position_words[]; };

const bool HAS_HEADS = false;
const uint EXCHANGE_HEAD_SLOTS = 1u;
#define CARRY_HAS_ARITHMETIC true
#include "include/state/count.glsl"
#include "include/scan/carry.glsl"
#include "include/scan/exchange.glsl"
#include "radix_select/results.glsl"
#include "radix_select/gather.glsl"

// What the parts of the row before this one have before the threshold and equal to it, and what this one and those behind it have.
const uint SUMS = 4u;
shared uint sums[SUMS];

void main() {
    uint number = workgroup_number();
    if (number >= dispatch_parts) return;
    uint part = number + first_part;
    uint line = part / parts;
    uint first_of_row = line * parts;
    uint begin_in_row = (part - first_of_row) * part_length;
    uint row_first = (first_row + line) * row_length - first;
    uint begin = row_first + begin_in_row;
    uint end = begin + min(part_length, row_length - begin_in_row);
    uint lane = gl_LocalInvocationIndex;
    // One invocation may be all there are.
    for (uint sum = lane; sum < SUMS; sum += WORKGROUP_SIZE) sums[sum] = 0u;
    barrier();
    uvec4 own = uvec4(0u);
    uint last = (options & OPTION_AROUND) != 0u ? first_of_row + parts : part;
    for (uint other = first_of_row + lane; other < last; other += WORKGROUP_SIZE) {
        uvec2 split = uvec2(table_words[split_at(other)], table_words[split_at(other) + 1u]);
        if (other < part) own.xy += split;
        else own.zw += split;
    }
    [[unroll]] for (uint sum = 0u; sum < SUMS; ++sum)
        if (own[sum] > 0u) atomicAdd(sums[sum], own[sum]);
    barrier();
    Split before = Split(sums[0], sums[1]);
    Split whole = Split(sums[0] + sums[2], sums[1] + sums[3]);
#if defined(WIDTH_W64)
    Bits threshold = uvec2(table_words[low_at(line)], table_words[high_at(line)]);
#else
    Bits threshold = table_words[low_at(line)];
#endif
    uint ties = (options & OPTION_AROUND) != 0u ? whole.equal : table_words[place_at(line)] + 1u;
    gather_keys(begin, end, row_first, threshold, ties, before, whole, (first_row + line) * first_results);
}
