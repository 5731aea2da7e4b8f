// The second dispatch of a reduction of segments, one workgroup: joins the segments that lie in several workgroups of the first, in the order of those.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"
#include "segmented_reduce/interface.glsl"
#include "reduce/state.glsl"

#include "include/scan/carry.glsl"
#include "include/scan/exchange.glsl"
#include "segmented_reduce/record.glsl"

layout(push_constant) uniform PushConstants {
    uint groups;         // workgroups of the dispatches before
    uint most_segments;  // segments; where the device counts them, at most
    uint segment_length; // elements of a segment, where all have as many
    uint length;         // elements of the whole array
};

#include "segmented_reduce/offsets.glsl"

void main() {
    uint lane = gl_LocalInvocationIndex;
    uint share = (groups + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
    uint begin = min(lane * share, groups);
    uint end = min(begin + share, groups);
    Carry sum = carry_identity();
    for (uint group = begin; group < end; ++group) sum = carry_combine(sum, carry_load(record_carry(group)));
    exchange_put(lane, sum);
    exchange_scan(WORKGROUP_SIZE);
    Carry before = exchange_prefix(lane);
    for (uint group = begin; group < end; ++group) {
        uint segment = scratch_words[record_segment(group)];
        if (segment != NO_SEGMENT) {
            State s = state_combine(before.state, words_load(record_state(group)));
            segment_store(segment, s, offset_of(segment), end_of(segment));
        }
        before = carry_combine(before, carry_load(record_carry(group)));
    }
}
