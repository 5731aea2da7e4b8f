// Writes one value to all elements of an array.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "fill/pattern.glsl"

layout(push_constant) uniform PushConstants {
    uvec2 pattern;      // the value, as often as it fits
    uint elements;      // elements in this dispatch
};

void main() { fill_pattern(pattern, elements); }
