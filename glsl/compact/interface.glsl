// What the kernels of a compaction share: constants, push constants, scratch.
#ifndef WAVELANE_COMPACT_INTERFACE
#define WAVELANE_COMPACT_INTERFACE

#include "include/group_number.glsl"

layout(constant_id = 0) const uint WORKGROUP_SIZE = 128u;
layout(local_size_x_id = 0, local_size_y = 1, local_size_z = 1) in;

// What the dispatch does: one of STAGE_*.
layout(constant_id = 1) const uint STAGE = 0u;
// Which elements are flagged: one of FLAGS_*.
layout(constant_id = 2) const uint FLAGS = 0u;
// Words of shared memory that the exchange takes.
layout(constant_id = 3) const uint EXCHANGE_SLOTS = 1024u;
// Words of shared memory in which the elements of a row are put side by side.
layout(constant_id = 4) const uint STAGING_SLOTS = 1024u;
// Whether the array is in rows, each of which is treated by itself.
layout(constant_id = 5) const uint ROWS = 0u;
// See include/scan/look_back.glsl.
layout(constant_id = 9) const uint HELD_TILE = 0xffffffffu;

// Each workgroup leaves in scratch how many elements of its tiles are flagged.
const uint STAGE_REDUCE = 0u;
// Each workgroup begins with the counts of those before it, and moves the elements of its tiles.
const uint STAGE_SCAN = 1u;
// Each workgroup moves the elements of one tile, and looks back for what came before.
const uint STAGE_LOOK_BACK = 2u;
// Each workgroup moves the elements of one tile, and finds what came before where a dispatch of STAGE_LOOK_BACK has left it.
const uint STAGE_KNOWN = 3u;

// Elements that compare with a value as `wanted` says.
const uint FLAGS_COMPARE = 0u;
// Elements with a word, or a byte, of a mask that is not zero.
const uint FLAGS_MASK_WORDS = 1u;
const uint FLAGS_MASK_BYTES = 2u;
// Elements that differ from the one before, and the first.
const uint FLAGS_HEADS = 3u;
// Elements without any of the bits of a value.
const uint FLAGS_NO_BITS = 4u;
// Elements that are not 0, and the first.
const uint FLAGS_STARTS = 5u;

// Bits of `options`, which need no pipeline of their own.
// How many elements there are stands in scratch, where the device put it; at most as many as the host planned for.
const uint OPTION_COUNTED = 1u;
// The elements that are not flagged go behind those that are.
const uint OPTION_PARTITION = 2u;
// Elements are stored; their positions are; the number of the last flagged element up to each is.
const uint OPTION_ELEMENTS = 4u;
const uint OPTION_POSITIONS = 8u;
const uint OPTION_NUMBERS = 16u;
// It is left in scratch how many elements are flagged before each row, and in all.
const uint OPTION_RANKS = 32u;
// What comparisons take elements for, see include/key.glsl.
const uint OPTION_KIND_SHIFT = 8u;
// What a comparison may come to, of COMPARED_*.
const uint OPTION_WANTED_SHIFT = 12u;

// Statuses and counters of STAGE_LOOK_BACK, counts from and for outside, carries.
layout(set = 0, binding = 2, std430) coherent buffer Scratch { uint scratch_words[]; };
layout(set = 0, binding = 2, std430) volatile coherent buffer ScratchStatus { uint scratch_status[]; };

layout(push_constant) uniform PushConstants {
    uint elements;       // elements in this dispatch
    uint first;          // where in the whole array the first of them stands
    uint total;          // elements of the whole array
    uint input_quad;     // which quad of the bound input begins with the first element
    uint tiles;          // tiles of this dispatch
    uint group_tiles;    // tiles of each workgroup
    uint groups;         // workgroups of this dispatch
    uint group_base;     // workgroups of earlier dispatches
    uint all_groups;     // workgroups of all dispatches
    uint carries;        // word where carries begin in scratch
    uint count_word;     // where in scratch the count is, if the device has it
    uint total_word;     // where in scratch the number of flagged elements goes
    uint status;         // word where statuses begin in scratch
    uint ticket;         // word of scratch that workgroups take their tiles from
    uint fallbacks;      // word of scratch that counts the work done for others
    uint window_first;   // the result at the beginning of the bound outputs
    uint window_end;     // and the one behind their end
    uint mask_first;     // which element of the bound mask is that of the first element
    uint options;        // OPTION_*
    uint value_low;      // the value that elements are compared with
    uint value_high;
    uint row_length;     // elements of a row, where the array is in rows
    uint row_ranks;      // word where the counts of flagged elements before rows begin in scratch
};

#endif
