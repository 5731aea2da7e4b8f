// Counts how many elements are in each bin, or sums their weights. A workgroup has a part of a segment: it counts in shared memory, where bins stand
// several times so that invocations get less into each other's way, and adds what it found to the results; or, where bins are too many for that, it counts
// in the results. Everything is added by atomics on integers, so results are the same in whatever order that happens.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"
#include "include/half.glsl"
#include "histogram/interface.glsl"
#include "compact/width.glsl"
#include "histogram/bin.glsl"
#include "histogram/exact.glsl"

const uint NO_BIN = 0xffffffffu;
// Wide loads that an invocation has under way.
const uint UNROLL = 4u;

shared uint counts[SHARED_WORDS];

EXACT_ADDER(exact_shared, counts)
EXACT_ADDER(exact_result, result_words)

// The segment that the workgroup counts.
uint segment;

// Where in the bound results a bin of the segment is, if it is there.
bool result_at(uint bin, out uint at) {
    uint whole = segment * (counted_channels * bins) + bin;
    at = whole - window_first;
    return whole >= window_first && whole < window_end;
}

void add(uint bin, uint weight) {
    if (SHARES != 0u) {
        uint at = bin - bins_first;
        if (IS_EXACT) exact_shared(at * SUM_SIZE, weight);
        else atomicAdd(counts[(at << copies_log2) + (gl_LocalInvocationIndex & ((1u << copies_log2) - 1u))], weight);
        return;
    }
    uint at;
    if (!result_at(bin, at)) return;
    if (IS_EXACT) exact_result(at * SUM_SIZE, weight);
    else atomicAdd(result_words[at], weight);
}

// What was found in one bin and is not added yet: neighbours are often alike.
uint found_bin;
uint found_sum;

void found(uint bin, uint weight) {
    if (IS_EXACT) {
        add(bin, weight);
    } else if (bin == found_bin) {
        found_sum += weight;
    } else {
        if (found_bin != NO_BIN) add(found_bin, found_sum);
        found_bin = bin;
        found_sum = weight;
    }
}

// Wide load `quad` of the bound elements. The last one of memory may have less.
uvec4 load(uint quad) {
    uint end = (elements * QUAD_WORDS + PER_QUAD - 1u) / PER_QUAD;
    uint word = QUAD_WORDS * quad;
    if (end - word >= QUAD_WORDS) return input_quad_load(quad);
    uvec4 raw = uvec4(0u);
    for (uint w = 0u; w < QUAD_WORDS; ++w) if (word + w < end) raw[w] = input_words[word + w];
    return raw;
}

// Those of a wide load that lie between `begin` and `end` of the bound elements.
void count(uint quad, uvec4 raw, uint begin, uint end) {
    uint start = max(quad * PER_QUAD, begin);
    uint column = 0u;
    uint channel = 0u;
    if (ROWS != 0u) {
        column = (first + start - segment * segment_pitch) % row_pitch;
        channel = column % channels;
    }
    for (uint j = 0u; j < PER_QUAD; ++j) {
        uint at = quad * PER_QUAD + j;
        if (at < start || at >= end) continue;
        uint bin;
        bool counts_here = ROWS == 0u || (column < row_length && channel < counted_channels);
        if (counts_here && bin_of(quad_element(raw, j), bin)) {
            bin += channel * bins;
            if (bin >= bins_first && bin < bins_end) found(bin, WEIGHTS == WEIGHTS_NONE ? 1u : weight_words[at]);
        }
        if (ROWS != 0u) {
            ++column;
            ++channel;
            if (channel == channels) channel = 0u;
            if (column == row_pitch) {
                column = 0u;
                channel = 0u;
            }
        }
    }
}

// Adds what is in shared memory to the results.
void share() {
    uint copies = 1u << copies_log2;
    for (uint bin = bins_first + gl_LocalInvocationIndex; bin < bins_end; bin += WORKGROUP_SIZE) {
        uint at;
        if (!result_at(bin, at)) continue;
        uint own = bin - bins_first;
        if (IS_EXACT) {
            for (uint k = 0u; k < SUM_WORDS; ++k) exact_result_word(at * SUM_SIZE, k, counts[own * SUM_SIZE + k], false);
            uint flags = counts[own * SUM_SIZE + SUM_FLAGS];
            if (flags != 0u) atomicOr(result_words[at * SUM_SIZE + SUM_FLAGS], flags);
        } else {
            uint sum = 0u;
            for (uint copy = 0u; copy < copies; ++copy) sum += counts[(own << copies_log2) + copy];
            if (sum != 0u) atomicAdd(result_words[at], sum);
        }
    }
}

void main() {
    uint lane = gl_LocalInvocationIndex;
    uint group = workgroup_number();
    if (group >= groups) return;
    segment = segment_first + group / parts;
    uint offset = group % parts * part_length;
    uint begin = origin + segment * segment_pitch + offset;
    uint end = begin + min(part_length, segment_length - offset);
    // What of it is bound, and there.
    uint limit = first + elements;
    if ((options & OPTION_COUNTED) != 0u) limit = min(limit, lookup_words[0]);
    begin = max(begin, first);
    end = min(end, limit);
    if (begin >= end) return;
    begin -= first;
    end -= first;

    if (SHARES != 0u) {
        for (uint i = lane; i < SHARED_WORDS; i += WORKGROUP_SIZE) counts[i] = 0u;
        barrier();
    }
    found_bin = NO_BIN;
    found_sum = 0u;
    uint quads = (end - 1u) / PER_QUAD + 1u;
    for (uint quad = begin / PER_QUAD + lane; quad < quads; quad += UNROLL * WORKGROUP_SIZE) {
        uvec4 raw[UNROLL];
        for (uint k = 0u; k < UNROLL; ++k) {
            uint next = quad + k * WORKGROUP_SIZE;
            raw[k] = next < quads ? load(next) : uvec4(0u);
        }
        for (uint k = 0u; k < UNROLL; ++k) count(quad + k * WORKGROUP_SIZE, raw[k], begin, end);
    }
    if (found_bin != NO_BIN) add(found_bin, found_sum);
    if (SHARES != 0u) {
        barrier();
        share();
    }
}
