// Writes one value to the first elements of an array: to as many as the device counted.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "fill/pattern.glsl"

layout(set = 0, binding = 1, std430) readonly buffer Count { uint counted; };

layout(push_constant) uniform PushConstants {
    uvec2 pattern;      // the value, as often as it fits
    uint elements;      // elements that this dispatch has room for
    uint first;         // elements in the dispatches before
};

void main() { fill_pattern(pattern, min(max(counted, first) - first, elements)); }
