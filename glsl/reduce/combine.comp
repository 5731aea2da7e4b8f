// The second dispatch of a reduction: combines the states that an earlier one left in scratch, `slots` for each result.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"
#include "reduce/interface.glsl"
#include "reduce/state.glsl"

#include "reduce/exchange.glsl"
#include "reduce/finish.glsl"

layout(push_constant) uniform PushConstants {
    uint results;       // results in this dispatch
    uint slots;         // states of each
    uint partials;      // word where states begin in scratch
    uint output_base;   // result 0 in the bound output
    uint total_count;   // elements along the whole axis
    uint count_word;    // where in scratch the axis' count is, if the device has it
};

void main() {
    uint group = workgroup_number();
    uint result, lane, lanes;
    if (ROW_MODE == ROW_WORKGROUP) {
        result = group;
        lane = gl_LocalInvocationIndex;
        lanes = WORKGROUP_SIZE;
    } else {
        // One invocation a result: there are many, with few states each.
        result = group * WORKGROUP_SIZE + gl_LocalInvocationIndex;
        lane = 0u;
        lanes = 1u;
    }
    bool live = result < results;
    State s = state_identity();
    for (uint slot = lane; live && slot < slots; slot += lanes)
        s = state_combine(s, partial_load(partials, result * slots + slot));
    bool leader = live;
    if (ROW_MODE == ROW_WORKGROUP) {
        s = exchange_workgroup(s);
        leader = live && exchange_leader();
    }
    if (leader) result_store(output_base + result, s, axis_count(total_count, count_word));
}
