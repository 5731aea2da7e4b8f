// Writes one value to the first elements of an array: to as many as the device counted.
#version 450
#extension GL_GOOGLE_include_directive : enable
#define COUNT_ALWAYS
#define COUNT_BINDING 1
#include "include/elementwise/count.glsl"
#include "fill/pattern.glsl"

layout(push_constant) uniform PushConstants {
    uvec2 pattern;      // the value, as often as it fits
    uint elements;      // elements that this dispatch has room for
    uint first;         // elements in the dispatches before
};

void main() { fill_pattern(pattern, count_of(first, elements)); }
