// Reduces rows: `count` neighbouring elements each, `row_stride` elements apart. A row belongs to one or more whole
// workgroups, to a few invocations of one, or to a subgroup (ROW_MODE).
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"
#include "reduce/interface.glsl"
#include "include/element.glsl"
#include "reduce/state.glsl"

#include "reduce/exchange.glsl"
#include "reduce/finish.glsl"

layout(push_constant) uniform PushConstants {
    uint rows;          // rows in this dispatch
    uint count;         // elements of a row in this dispatch
    uint input_base;    // first element of row 0 in the bound input
    uint row_stride;    // elements from one row to the next
    uint splits;        // workgroups that share a row
    uint split_quads;   // wide loads that one of them makes
    uint axis_base;     // index along the axis of the first element
    uint total_count;   // elements along the whole axis
    uint slots;         // states a row has in scratch, over all dispatches
    uint slot_base;     // the first that this dispatch stores
    uint partials;      // word where states begin in scratch
    uint output_base;   // result of row 0 in the bound output
    uint pivot_base;    // first element of row 0 in the bound pivots
    uint pivot_stride;  // elements from one row's pivot to the next
    uint count_word;    // where in scratch the axis' count is, if the device has it
};

// Loads in flight at once in an invocation.
const uint UNROLL = 4u;

// The state of the elements of one quad of a row that begins at element `begin`.
State quad_state(uvec4 loaded, uint quad, uint begin, Pivot pivot) {
    Element e[ELEMENTS_PER_QUAD];
    element_unpack(loaded, e);
    return state_from_quad(e, axis_base + quad * ELEMENTS_PER_QUAD - begin, pivot);
}

// The states of this lane's share of elements [begin, begin + length), where `split` picks a part of the whole quads.
State row_state(uint begin, uint length, uint split, uint lane, uint lanes, Pivot pivot) {
    Accumulator sum = accumulator_new();
    uint end = begin + length;
    uint first_quad = (begin + ELEMENTS_PER_QUAD - 1u) / ELEMENTS_PER_QUAD;
    uint last_quad = end / ELEMENTS_PER_QUAD;
    uint head_end = min(first_quad * ELEMENTS_PER_QUAD, end);
    uint tail_begin = max(last_quad * ELEMENTS_PER_QUAD, head_end);

    uint share = share_of((length + ELEMENTS_PER_QUAD - 1u) / ELEMENTS_PER_QUAD, splits, UNROLL * WORKGROUP_SIZE, split_quads);
    uint quad = first_quad + split * share;
    uint quad_end = min(quad + share, last_quad);
    quad += lane;
    // All loads of a round first, so that they are under way together.
    uvec4 loaded[UNROLL];
    while (quad + (UNROLL - 1u) * lanes < quad_end) {
        for (uint k = 0u; k < UNROLL; ++k) loaded[k] = element_quad(quad + k * lanes);
        State block = quad_state(loaded[0], quad, begin, pivot);
        for (uint k = 1u; k < UNROLL; ++k)
            block = state_combine(block, quad_state(loaded[k], quad + k * lanes, begin, pivot));
        accumulator_add(sum, block);
        quad += UNROLL * lanes;
    }
    if (quad < quad_end) {
        // The last round is not whole: past the end the last quad is loaded again, and left out.
        for (uint k = 0u; k < UNROLL; ++k) loaded[k] = element_quad(min(quad + k * lanes, quad_end - 1u));
        for (uint k = 0u; k < UNROLL; ++k) {
            uint at = quad + k * lanes;
            if (at < quad_end) accumulator_add(sum, quad_state(loaded[k], at, begin, pivot));
        }
    }
    // Elements before the first whole quad and after the last are read one by one: nothing outside the row is touched.
    if (split == 0u) {
        for (uint i = begin + lane; i < head_end; i += lanes)
            accumulator_add(sum, state_from(element_load(i), axis_base + i - begin, pivot));
    }
    if (split == splits - 1u) {
        for (uint i = tail_begin + lane; i < end; i += lanes)
            accumulator_add(sum, state_from(element_load(i), axis_base + i - begin, pivot));
    }
    return accumulator_state(sum);
}

void finish_row(uint row, uint split, State s, uint total) {
    if (FINISH == FINISH_RESULT) result_store(output_base + row, s, total);
    else partial_store(partials, row * slots + slot_base + split, s);
}

void main() {
    uint group = workgroup_number();
    uint row, lane, lanes;
    uint split = 0u;
    if (ROW_MODE == ROW_WORKGROUP) {
        row = group / splits;
        split = group % splits;
        lane = gl_LocalInvocationIndex;
        lanes = WORKGROUP_SIZE;
    } else if (ROW_MODE == ROW_LANES) {
        uint number = exchange_number();
        row = group * (WORKGROUP_SIZE / LANES_PER_ROW) + number / LANES_PER_ROW;
        lane = number % LANES_PER_ROW;
        lanes = LANES_PER_ROW;
    } else {
#ifdef PATH_SHARED_MEMORY
        // The host never asks for a subgroup's row on this path.
        row = 0xffffffffu;
        lane = 0u;
        lanes = 1u;
#else
        row = group * gl_NumSubgroups + gl_SubgroupID;
        lane = gl_SubgroupInvocationID;
        lanes = gl_SubgroupSize;
#endif
    }
    // Invocations past the last row stay for the barriers, with nothing to read.
    bool live = row < rows;
    if (!live) row = 0u;
    Pivot pivot = Pivot(0);
    if (count > 0u) pivot = pivot_load(pivot_base + row * pivot_stride);
    uint total = axis_count(total_count, count_word);
    uint length = live ? piece_count(total, axis_base, count) : 0u;
    State s = row_state(input_base + row * row_stride, length, split, lane, lanes, pivot);

    if (ROW_MODE == ROW_WORKGROUP) {
        s = exchange_workgroup(s);
        if (live && exchange_leader()) finish_row(row, split, s, total);
        if (FINISH == FINISH_LAST_ARRIVAL && live && arrive_last(row, splits)) {
            s = state_identity();
            for (uint slot = lane; slot < slots; slot += WORKGROUP_SIZE)
                s = state_combine(s, partial_load(partials, row * slots + slot));
            s = exchange_workgroup(s);
            if (exchange_leader()) result_store(output_base + row, s, total);
        }
    } else {
        if (ROW_MODE == ROW_LANES && LANES_PER_ROW > 1u) s = exchange_lanes(s, lane, LANES_PER_ROW);
#ifndef PATH_SHARED_MEMORY
        if (ROW_MODE == ROW_SUBGROUP) s = exchange_subgroup(s);
#endif
        if (live && lane == 0u) finish_row(row, 0u, s, total);
    }
}
