// For tests/append.rs: workgroups take batches of a list until it is empty, and count how often each element was taken. Compile, for
// each PATH of SHARED_MEMORY, SUBGROUP and SHUFFLE, with
//   glslangValidator -V --target-env vulkan1.1 -g0 -I../../../glsl -DPATH_<PATH>=1 consume.comp -o consume.<path>.spv
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"

layout(constant_id = 0) const uint WORKGROUP_SIZE = 64u;
layout(local_size_x_id = 0) in;

layout(push_constant) uniform PushConstants {
    // Every so many invocations take an element in each round.
    uint every;
};

layout(std430, set = 0, binding = 0) readonly buffer List { uint list[]; };
layout(std430, set = 0, binding = 1) coherent buffer Counters { uint length; uint consumed; };
layout(std430, set = 0, binding = 2) coherent buffer Taken { uint taken[]; };

#define CONSUME_COUNTER consumed
#include "include/append.glsl"

void main() {
    bool wants = gl_LocalInvocationIndex % every == 0u;
    while (true) {
        uint slot = consume_slot(wants);
        if (wants && slot < length) atomicAdd(taken[list[slot]], 1u);
        if (append_base >= length) break;
    }
}
