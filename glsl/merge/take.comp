// Values in the order of the elements that they belong to, by the numbers of these: a value for each invocation.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/elementwise/invocation.glsl"

// Words of a value, 1 or 2.
layout(constant_id = 1) const uint VALUE_WORDS = 1u;

layout(set = 0, binding = 0, std430) readonly buffer Numbers { uint numbers[]; };
layout(set = 0, binding = 1, std430) readonly buffer FirstWords { uint first_words[]; };
layout(set = 0, binding = 2, std430) readonly buffer SecondWords { uint second_words[]; };
layout(set = 0, binding = 3, std430) writeonly buffer OutputWords { uint output_words[]; };

layout(push_constant) uniform PushConstants {
    uint elements;       // results in this dispatch
    uint first_length;   // elements of the first array
    uint second_length;  // and of the second
};

void main() {
    uint number;
    if (!invocation_number(elements, number)) return;
    uint from = numbers[number];
    bool is_first = from < first_length;
    uint at = is_first ? from : from - first_length;
    // Where elements are counted, numbers of those that do not count are anything.
    if (!is_first && at >= second_length) return;
    for (uint word = 0u; word < VALUE_WORDS; ++word) {
        uint value;
        if (is_first) value = first_words[at * VALUE_WORDS + word];
        else value = second_words[at * VALUE_WORDS + word];
        output_words[number * VALUE_WORDS + word] = value;
    }
}
