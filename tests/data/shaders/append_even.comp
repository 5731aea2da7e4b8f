// For tests/append.rs and examples/indirect.rs: appends the even ones of an array to a list. Compile, for each PATH of
// SHARED_MEMORY, SUBGROUP and SHUFFLE, with
//   glslangValidator -V --target-env vulkan1.1 -g0 -I../../../glsl -DPATH_<PATH>=1 append_even.comp -o append_even.<path>.spv
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"
#include "include/group_number.glsl"

layout(constant_id = 0) const uint WORKGROUP_SIZE = 64u;
layout(local_size_x_id = 0) in;

layout(push_constant) uniform PushConstants {
    uint count;
    uint capacity;
};

layout(std430, set = 0, binding = 0) readonly buffer Values { uint values[]; };
layout(std430, set = 0, binding = 1) writeonly buffer List { uint list[]; };
layout(std430, set = 0, binding = 2) coherent buffer Counter { uint appended; };

#define APPEND_COUNTER appended
#include "include/append.glsl"

void main() {
    uint i = workgroup_number() * WORKGROUP_SIZE + gl_LocalInvocationIndex;
    uint value = 1u;
    if (i < count) value = values[i];
    bool even = value % 2u == 0u;
    uint slot = append_slot(even);
    if (even && slot < capacity) list[slot] = value;
}
