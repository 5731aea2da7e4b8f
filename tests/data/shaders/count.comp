// For tests/profile.rs. Compile with
//   glslangValidator -V --target-env vulkan1.1 -g0 -I../../../glsl -DCOUNTERS_BINDING=1 count.comp -o count.spv
//   glslangValidator -V --target-env vulkan1.1 -g0 -I../../../glsl count.comp -o count_off.spv
#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/counters.glsl"

layout(local_size_x = 64) in;
layout(push_constant) uniform PushConstants { uint count; };
layout(std430, set = 0, binding = 0) writeonly buffer To { uint to[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= count) {
        counter_add(1, 1);
        return;
    }
    counter_add(0, 1);
    // Runs over 32 bits many times, and by more than one invocation at once.
    counter_add(2, 0x90000000u + i);
    // No such counter.
    counter_add(3, 1);
    counter_add(0xffffffffu, 1);
    to[i] = i * 3u;
}
