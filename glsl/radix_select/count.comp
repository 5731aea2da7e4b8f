// A pass over one part of a row for one place: keys by the value of a digit, added to the line's counts; or, when the threshold is known, how many come before it and how many are equal to it.
#version 450
#extension GL_GOOGLE_include_directive : enable
#extension GL_EXT_control_flow_attributes : enable
#include "include/extensions.glsl"
#include "radix_select/interface.glsl"
#include "compact/width.glsl"
#include "radix_select/keys.glsl"
#include "radix_select/count.glsl"

layout(set = 0, binding = 1, std430) buffer Table { uint table_words[]; };

Bits found_of(uint line) {
#if defined(WIDTH_W64)
    return uvec2(table_words[low_at(line)], table_words[high_at(line)]);
#else
    return table_words[low_at(line)];
#endif
}

// Into the first two counters.
void count_split(uint begin, uint end, Bits threshold) {
    uint less = 0u;
    uint equal = 0u;
    uint end_quad = quads_to(end);
    for (uint quad = begin / PER_QUAD + gl_LocalInvocationIndex; quad < end_quad; quad += WORKGROUP_SIZE) {
        uvec4 raw = key_quad(quad);
        [[unroll]] for (uint j = 0u; j < PER_QUAD; ++j) {
            uint at = quad * PER_QUAD + j;
            Bits key = select_key(quad_element(raw, j));
            if (at < begin || at >= end) continue;
            if (key_less(key, threshold)) ++less;
            else if (!bits_differ(key, threshold)) ++equal;
        }
    }
    if (less > 0u) atomicAdd(counters[0], less);
    if (equal > 0u) atomicAdd(counters[1], equal);
}

void main() {
    uint number = workgroup_number();
    uint target = number / dispatch_parts;
    if (target >= lines / rows) return;
    uint part = number - target * dispatch_parts + first_part;
    uint table_row = part / parts;
    uint line = target * rows + table_row;
    uint begin_in_row = (part - table_row * parts) * part_length;
    uint row_first = (first_row + table_row) * row_length - first;
    uint begin = row_first + begin_in_row;
    uint end = begin + min(part_length, row_length - begin_in_row);
    counters_clear();
    barrier();
    Bits found = found_of(line);
    bool is_split = (options & OPTION_SPLIT) != 0u;
    if (is_split) count_split(begin, end, found);
    else count_keys(begin, end, found, Digit(shift, digit_mask, (options & OPTION_UPPER) != 0u));
    barrier();
    if (is_split) {
        if (gl_LocalInvocationIndex == 0u) {
            table_words[split_at(part)] = counters[0];
            table_words[split_at(part) + 1u] = counters[1];
        }
    } else {
        for (uint value = gl_LocalInvocationIndex; value < VALUES; value += WORKGROUP_SIZE)
            if (counters[value] > 0u) atomicAdd(table_words[counts_at(line) + value], counters[value]);
    }
}
