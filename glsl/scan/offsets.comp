// Sets a bit for each element at which a segment begins, from the offsets of segments.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/group_number.glsl"

layout(constant_id = 0) const uint WORKGROUP_SIZE = 128u;
layout(local_size_x_id = 0, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, std430) readonly buffer Offsets { uint offset_words[]; };
// Cleared before.
layout(set = 0, binding = 1, std430) buffer Bits { uint bit_words[]; };

layout(push_constant) uniform PushConstants {
    uint offsets;       // offsets in this dispatch
    uint offset_base;   // where in the bound range the first of them is
    uint first;         // element of the first bit that is bound
    uint elements;      // elements whose bits are
};

void main() {
    uint i = workgroup_number() * WORKGROUP_SIZE + gl_LocalInvocationIndex;
    if (i >= offsets) return;
    uint at = offset_words[offset_base + i];
    // Empty segments begin where the one after them does: one of them is enough.
    if (i > 0u && offset_words[offset_base + i - 1u] == at) return;
    // Beyond the last element nothing begins; before the first bit and behind the last, another dispatch sets it.
    if (at < first || at - first >= elements) return;
    uint bit = at - first;
    atomicOr(bit_words[bit / 32u], 1u << (bit % 32u));
}
