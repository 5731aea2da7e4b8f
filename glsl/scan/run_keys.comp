// Stores a key for each run of equal ones, one behind another: the second half of a reduction by key, whose first has left in scratch how many runs begin before
// each tile of elements.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"
#include "scan/interface.glsl"
#include "reduce/state.glsl"

layout(constant_id = 7) const uint EXCHANGE_SLOTS = 1024u;
#define EXCHANGE_HEAD_SLOTS 1

layout(set = 0, binding = 1, std430) buffer Keys { uint key_words[]; };
layout(set = 0, binding = 2, std430) readonly buffer Scratch { uint scratch_words[]; };
layout(set = 0, binding = 3, std430) readonly buffer Heads { uint head_words[]; };

layout(push_constant) uniform PushConstants {
    uint elements;       // elements in this dispatch
    uint first;          // where in the whole array the first of them stands
    uint total;          // elements of the whole array
    uint tile_elements;  // elements of a tile
    uint tiles;          // tiles of this dispatch
    uint tile_heads;     // word of scratch for the first tile
    uint head_first;     // where in the whole array the first of the bound keys stands
    uint count_word;     // where in scratch the count is, if the device has it
};

// Runs are told by keys alone.
const uint segment_length = 1u;

#undef HAS_HEADS
#define HAS_HEADS false
#define CARRY_HAS_ARITHMETIC true
#include "include/scan/carry.glsl"
#include "include/scan/exchange.glsl"
#include "scan/heads.glsl"

bool begins(uint i) { return i == 0u || heads_differ(i); }

void key_store(uint run, uint i) {
    uint at = i - head_first;
    if (HEADS == HEADS_KEYS_32) {
        key_words[run] = head_words[at];
    } else if (HEADS == HEADS_KEYS_64) {
        key_words[2u * run] = head_words[2u * at];
        key_words[2u * run + 1u] = head_words[2u * at + 1u];
    } else {
        // Two or four keys to a word, which are perhaps stored by several workgroups: all words are cleared before.
        uint bits = HEADS == HEADS_KEYS_8 ? 8u : 16u;
        uint per_word = 32u / bits;
        atomicOr(key_words[run / per_word], small_key(at) << (bits * (run % per_word)));
    }
}

void main() {
    uint tile = workgroup_number();
    if (tile >= tiles) return;
    uint lane = gl_LocalInvocationIndex;
    uint each = (tile_elements + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
    uint there = elements;
    if (COUNTED != 0u) there = min(there, max(scratch_words[count_word], first) - first);
    uint begin = tile * tile_elements + lane * each;
    uint end = begin < there ? begin + min(each, there - begin) : begin;
    uint heads = 0u;
    for (uint i = begin; i < end; ++i) heads += begins(first + i) ? 1u : 0u;
    exchange_put(lane, Carry(State(heads), 0u));
    exchange_scan(WORKGROUP_SIZE);
    uint run = scratch_words[tile_heads + tile] + exchange_prefix(lane).state.value;
    for (uint i = begin; i < end; ++i) {
        if (begins(first + i)) key_store(run++, first + i);
    }
}
