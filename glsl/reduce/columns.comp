// Reduces along an axis that is not the last: element (slab, i, column) lies at slab * slab_stride + i * row_stride + column.
// A workgroup is a tile of `tile_columns` × `tile_rows` invocations. Neighbouring invocations read neighbouring columns, so
// reads are coalesced however far apart the elements of one column lie. Tiles run on from one slab into the next, so that
// many small slabs fill workgroups as well as one large one.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"
#include "reduce/interface.glsl"
#include "include/element.glsl"
#include "reduce/state.glsl"
#include "reduce/exchange.glsl"
#include "reduce/finish.glsl"

layout(push_constant) uniform PushConstants {
    uint slabs;         // slabs in this dispatch
    uint count;         // elements of a column in this dispatch
    uint columns;       // columns of a slab in this dispatch
    uint input_base;    // element (0, 0, 0) in the bound input
    uint slab_stride;   // elements from one slab to the next
    uint row_stride;    // elements from one element of a column to the next
    uint tile_columns;  // columns of a tile
    uint tile_rows;     // invocations that share a column
    uint tiles;         // tiles of this dispatch
    uint splits;        // workgroups that share a column
    uint split_rows;    // elements of a column that one of them reads
    uint axis_base;     // index along the axis of the first element
    uint total_count;   // elements along the whole axis
    uint slots;         // states a column has in scratch, over all dispatches
    uint slot_base;     // the first that this dispatch stores
    uint partials;      // word where states begin in scratch
    uint output_base;   // result of column 0 in the bound output
    uint pivot_base;    // pivot of column (0, 0) in the bound pivots
    uint count_word;    // where in scratch the axis' count is, if the device has it
};

// Loads in flight at once in an invocation.
const uint UNROLL = 8u;

State column_state(uint base, uint begin, uint end, Pivot pivot) {
    Accumulator sum = accumulator_new();
    uint i = begin;
    // All loads of a round first, so that they are under way together.
    Element e[UNROLL];
    while (i < end && end - i > (UNROLL - 1u) * tile_rows) {
        for (uint k = 0u; k < UNROLL; ++k) e[k] = element_load(base + (i + k * tile_rows) * row_stride);
        State even = state_from(e[0], axis_base + i, pivot);
        State odd = state_from(e[1], axis_base + i + tile_rows, pivot);
        for (uint k = 2u; k < UNROLL; k += 2u) {
            even = state_combine(even, state_from(e[k], axis_base + i + k * tile_rows, pivot));
            odd = state_combine(odd, state_from(e[k + 1u], axis_base + i + (k + 1u) * tile_rows, pivot));
        }
        accumulator_add(sum, state_combine(even, odd));
        i += UNROLL * tile_rows;
    }
    if (i < end) {
        // The last round is not whole: past the end the last element is loaded again, and left out.
        for (uint k = 0u; k < UNROLL; ++k) e[k] = element_load(base + min(i + k * tile_rows, end - 1u) * row_stride);
        for (uint k = 0u; k < UNROLL; ++k) {
            uint at = i + k * tile_rows;
            if (at < end) accumulator_add(sum, state_from(e[k], axis_base + at, pivot));
        }
    }
    return accumulator_state(sum);
}

uint tile, split, total;

// `x` is a column of the tile. Columns are numbered through all slabs.
void finish_column(uint x, State s, bool result) {
    uint number = tile * tile_columns + x;
    if (x >= tile_columns || number >= slabs * columns || split >= splits) return;
    if (result) result_store(output_base + number, s, total);
    else partial_store(partials, number * slots + slot_base + split, s);
}

// Combines each column's invocations and stores what comes out. Called by the whole workgroup. The invocations of a column
// lie tile_columns apart, so whatever the path, all of them meet in shared memory.
void finish_tile(uint x, uint y, State s, bool result) {
    if (tile_rows == 1u) {
        finish_column(x, s, result);
        return;
    }
#ifdef PATH_SHARED_MEMORY
    s = exchange_tree(s, gl_LocalInvocationIndex, y, tile_columns, tile_rows);
    if (y == 0u) finish_column(x, s, result);
#else
    // One barrier: then each subgroup takes whole columns, its lanes the column's invocations.
    exchange_put(gl_LocalInvocationIndex, s);
    barrier();
    for (uint column = gl_SubgroupID; column < tile_columns; column += gl_NumSubgroups) {
        State t = state_identity();
        for (uint first = 0u; first < tile_rows; first += gl_SubgroupSize) {
            uint row = first + gl_SubgroupInvocationID;
            State other = exchange_get(min(row, tile_rows - 1u) * tile_columns + column);
            if (row < tile_rows) t = state_combine(t, other);
        }
        t = exchange_subgroup(t);
        if (gl_SubgroupInvocationID == 0u) finish_column(column, t, result);
    }
#endif
}

void main() {
    uint group = workgroup_number();
    tile = group;
    split = 0u;
    uint x = gl_LocalInvocationIndex;
    uint y = 0u;
    // Columns can be short, so divisions are left out where they have nothing to do.
    if (splits > 1u) {
        tile = group % tiles;
        split = group / tiles;
    }
    if (tile_rows > 1u) {
        x = gl_LocalInvocationIndex % tile_columns;
        y = gl_LocalInvocationIndex / tile_columns;
    }
    uint number = tile * tile_columns + x;

    // Invocations past the last column or row of the tile stay for the barriers, with nothing to read.
    bool live = split < splits && number < slabs * columns && x < tile_columns && y < tile_rows;
    if (!live) number = 0u;
    total = axis_count(total_count, count_word);
    uint length = piece_count(total, axis_base, count);
    uint share = share_of(length, splits, UNROLL * tile_rows, split_rows);
    uint begin = split * share;
    uint end = live ? min(begin + share, length) : 0u;
    uint offset = number;
    if (slabs > 1u) offset = (number / columns) * slab_stride + number % columns;
    Pivot pivot = pivot_load(pivot_base + offset);
    State s = column_state(input_base + offset, begin + y, end, pivot);

    finish_tile(x, y, s, FINISH == FINISH_RESULT);
    if (FINISH == FINISH_LAST_ARRIVAL && split < splits && arrive_last(tile, splits)) {
        s = state_identity();
        if (live) {
            for (uint slot = y; slot < slots; slot += tile_rows)
                s = state_combine(s, partial_load(partials, number * slots + slot));
        }
        finish_tile(x, y, s, true);
    }
}
