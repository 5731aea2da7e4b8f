#version 450
// Shared arrays of every kind of size, and constants of every type.
#ifdef PATH_SUBGROUP
#extension GL_KHR_shader_subgroup_arithmetic : require
#endif

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WORKGROUP_SIZE = 64u;
layout(constant_id = 1) const uint TILE = 4u;
layout(constant_id = 2) const bool flip = false;
layout(constant_id = 4) const float ratio = 0.5;

#include "include/load.glsl"

layout(set = 0, binding = 1) buffer Output { uint values[]; } target;
layout(push_constant) uniform PushConstants { uint count; int offset; float scale; uint type; vec4 color; } push;

struct Pair { uint low; vec3 high; };

shared uint padded[WORKGROUP_SIZE * TILE + 1u];
shared vec4 half_group[gl_WorkGroupSize.x / 2u];
shared Pair pairs[TILE > 2u ? 8u : 3u];

void main() {
    uint i = gl_LocalInvocationID.x;
    uint x = load(i + gl_WorkGroupID.x);
#ifdef PATH_SUBGROUP
    x = subgroupAdd(x);
#endif
    padded[i] = x;
    half_group[i / 2u] = vec4(float(x)) + push.color;
    pairs[i % TILE].high = vec3(float(x));
    barrier();
    if (i == 0u) {
        float sum = half_group[1].y + pairs[push.count].high.z * push.scale * ratio;
        target.values[gl_WorkGroupID.x] = padded[WORKGROUP_SIZE - 1u] + uint(sum) + push.type + uint(flip ? push.offset : -push.offset);
    }
}
