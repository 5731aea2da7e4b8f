// For examples/indirect.rs: squares the elements of a list whose length the device counted. Compile with
//   glslangValidator -V --target-env vulkan1.1 -g0 -I../../../glsl square_listed.comp -o square_listed.spv
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/group_number.glsl"

layout(constant_id = 0) const uint WORKGROUP_SIZE = 64u;
layout(local_size_x_id = 0) in;

layout(std430, set = 0, binding = 0) readonly buffer List { uint list[]; };
// What glsl/dispatch_arguments/write.comp wrote: group counts, elements, elements that did not fit.
layout(std430, set = 0, binding = 1) readonly buffer Record { uint groups[3]; uint length; uint lost; };
layout(std430, set = 0, binding = 2) writeonly buffer Squares { uint squares[]; };

void main() {
    uint i = workgroup_number() * WORKGROUP_SIZE + gl_LocalInvocationIndex;
    if (i < length) squares[i] = list[i] * list[i];
}
