// What stands between and behind compactions, one result after the other: lengths of runs, sorted pairs of a key and a position, values that
// are looked up. MODE says what.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"
#include "include/group_number.glsl"
#include "compact/width.glsl"

layout(constant_id = 0) const uint WORKGROUP_SIZE = 128u;
layout(local_size_x_id = 0, local_size_y = 1, local_size_z = 1) in;
layout(constant_id = 1) const uint MODE = 0u;

// How long each run is, from where runs begin.
const uint MODE_LENGTHS = 0u;
// A pair (position, key) for each element, in their order or in that of other pairs.
const uint MODE_PAIRS = 1u;
// For each pair, whether its element is another one than that of the pair before.
const uint MODE_HEADS = 2u;
// The element at the position of each pair, and the position.
const uint MODE_ELEMENTS = 3u;
const uint MODE_POSITIONS = 4u;
// For the position of each pair, its number.
const uint MODE_NUMBERS = 5u;
// The element of the run that each result falls into, from where runs end. Each workgroup has DECODE_EACH results an invocation.
const uint MODE_DECODE = 6u;
// How many results that gives.
const uint MODE_DECODED = 7u;

layout(set = 0, binding = 1, std430) readonly buffer PairWords { uint pair_words[]; };
layout(set = 0, binding = 2, std430) readonly buffer Scratch { uint scratch_words[]; };
layout(set = 0, binding = 3, std430) writeonly buffer OutputWords { uint output_words[]; };

// Numbers of OPTION_COUNTED and OPTION_KIND_SHIFT as in interface.glsl.
const uint OPTION_COUNTED = 1u;
// Pairs come in the order of other pairs.
const uint OPTION_ORDERED = 2u;
// The key is the upper word of the element.
const uint OPTION_UPPER = 4u;
// How many results there are stands in scratch.
const uint OPTION_TOTAL = 8u;
const uint OPTION_KIND_SHIFT = 8u;

layout(push_constant) uniform PushConstants {
    uint results;        // results of this dispatch, at most
    uint first;          // the first of them
    uint total;          // results of the whole array, at most
    uint length;         // elements of the input
    uint count_word;     // where in scratch the count of the input is, if the device has it
    uint total_word;     // where in scratch the number of results is
    uint numbers;        // where in scratch the numbers of pairs are
    uint bound_first;    // which of them is at the beginning of the bound pairs
    uint output_first;   // which result is at the beginning of the bound output
    uint row_length;     // elements of a row, or 0 where the array is not in rows
    uint options;        // OPTION_*
};

uint kind() { return (options >> OPTION_KIND_SHIFT) & 3u; }

uint position_of(uint i) { return min(pair_words[2u * i], length - 1u); }

// Elements that are one to np.unique have one key: all NaN the largest.
Bits unique_key(Bits b) {
    if (kind() == KEY_FLOAT && bits_are_nan(b)) return Bits(0xffffffffu);
    return bits_key(b, kind());
}

uint live_length() { return (options & OPTION_COUNTED) != 0u ? min(scratch_words[count_word], length) : length; }

// The run that result `i` falls into: the first one that ends behind it. All of them are before `end`, one of which is the result's.
uint run_of(uint i, uint begin, uint end) {
    while (begin < end) {
        uint middle = begin + (end - begin) / 2u;
        if (pair_words[middle] > i) end = middle;
        else begin = middle + 1u;
    }
    return begin;
}

void store_bits(uint i, Bits b) {
    uint at = i - output_first;
#if defined(WIDTH_W64)
    output_words[2u * at] = b.x;
    output_words[2u * at + 1u] = b.y;
#elif defined(WIDTH_W32)
    output_words[at] = b;
#endif
}

const uint DECODE_EACH = 16u;

// The runs of a workgroup's first and last result: those of the others lie between.
shared uint outer_runs[2];

// Where the last run ends.
uint decoded_length(uint runs) { return runs > 0u ? pair_words[runs - 1u] : 0u; }

// The element that result `i` is.
Bits result_of(uint i) {
    if (MODE == MODE_DECODE) return input_element(min(run_of(i, outer_runs[0], outer_runs[1]), length - 1u));
    return input_element(position_of(i));
}

// Elements, each invocation the words that lie a workgroup apart; the first result begins a word.
void results_of_bits(uint begin, uint end, uint start, uint step) {
#ifdef PER_WORD
    for (uint i = begin + PER_WORD * start; i < end && i >= begin; i += PER_WORD * step) {
        uint word = 0u;
        for (uint k = 0u; k < PER_WORD; ++k) {
            if (i + k >= begin && i + k < end) word |= result_of(i + k) >> (32u - 32u / PER_WORD) << (32u / PER_WORD * k);
        }
        output_words[(i - output_first) / PER_WORD] = word;
    }
#else
    for (uint i = begin + start; i < end && i >= begin; i += step) store_bits(i, result_of(i));
#endif
}

void result(uint i, uint end) {
    if (MODE == MODE_LENGTHS) {
        // Starts are counted from the beginning of their row. What begins another row tells that this one was whole; nothing but the first run begins an array.
        uint next = i + 1u < end ? pair_words[i + 1u - bound_first] : live_length();
        if (row_length > 0u) {
            if (i + 1u >= end) next = (next - 1u) % row_length + 1u;
            else if (next == 0u) next = row_length;
        }
        output_words[i - output_first] = next - pair_words[i - bound_first];
    } else if (MODE == MODE_PAIRS) {
        uint position = i;
        if ((options & OPTION_ORDERED) != 0u) position = position_of(i);
        Bits key = unique_key(input_element(position));
        output_words[2u * i] = position;
#if defined(WIDTH_W64)
        output_words[2u * i + 1u] = (options & OPTION_UPPER) != 0u ? key.y : key.x;
#elif defined(WIDTH_W32)
        output_words[2u * i + 1u] = key;
#else
        output_words[2u * i + 1u] = key >> (32u - 32u / PER_WORD);
#endif
    } else if (MODE == MODE_HEADS) {
        bool head = i == 0u;
        if (!head) head = bits_differ(unique_key(input_element(position_of(i))), unique_key(input_element(position_of(i - 1u))));
        output_words[i] = head ? 1u : 0u;
    } else if (MODE == MODE_POSITIONS) {
        output_words[i] = position_of(i);
    } else if (MODE == MODE_NUMBERS) {
        output_words[position_of(i)] = scratch_words[numbers + i];
    }
}

void main() {
    uint lane = gl_LocalInvocationIndex;
    uint group = workgroup_number();
    if (MODE == MODE_DECODED) {
        if (group == 0u && lane == 0u) output_words[0] = decoded_length(live_length());
        return;
    }
    if (MODE == MODE_DECODE) {
        uint runs = live_length();
        uint end = min(first + results, decoded_length(runs));
        uint begin = first + group * (DECODE_EACH * WORKGROUP_SIZE);
        // Workgroups beyond what groups were folded to may have wrapped around.
        if (begin >= end || begin < first) return;
        end = min(end - begin, DECODE_EACH * WORKGROUP_SIZE) + begin;
        if (lane == 0u) {
            outer_runs[0] = run_of(begin, 0u, runs);
            outer_runs[1] = run_of(end - 1u, outer_runs[0], runs);
        }
        barrier();
        results_of_bits(begin, end, lane, WORKGROUP_SIZE);
        return;
    }
    uint there = total;
    if ((options & OPTION_TOTAL) != 0u) there = min(scratch_words[total_word], total);
    else if ((options & OPTION_COUNTED) != 0u) there = min(live_length(), total);
    uint end = min(first + results, there);
    if (first >= end) return;
    uint step = WORKGROUP_SIZE * gl_NumWorkGroups.x * gl_NumWorkGroups.y * gl_NumWorkGroups.z;
    uint start = group * WORKGROUP_SIZE + lane;
    if (MODE == MODE_ELEMENTS) {
        results_of_bits(first, end, start, step);
        return;
    }
    for (uint i = first + start; i < end && i >= first; i += step) result(i, there);
}
