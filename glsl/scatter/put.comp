// Writes values to elements of an array by index. Each invocation writes one element. An index that the array does not have writes nothing.
#version 450
#extension GL_GOOGLE_include_directive : enable
#define COUNT_BINDING 3
#include "include/elementwise/count.glsl"
#include "include/elementwise/element_size.glsl"
#include "include/elementwise/invocation.glsl"

// Bytes of an element as a power of two.
layout(constant_id = 1) const uint SIZE_LOG2 = 2u;

layout(set = 0, binding = 0, std430) readonly buffer Values { uint value_words[]; };
layout(set = 0, binding = 1, std430) readonly buffer Indices { uint indices[]; };
layout(set = 0, binding = 2, std430) buffer Target { uint target_words[]; };

layout(push_constant) uniform PushConstants {
    uint elements;      // indices in this dispatch
    uint count;         // elements of the array
    uint first;         // indices in the dispatches before
    uint values;        // how many values there are where they repeat; 0 where each index has its own
};

void main() {
    uint at;
    if (!invocation_number(count_of(first, elements), at)) return;
    uint index = indices[at];
    if (index >= count) return;
    uint value = values == 0u ? at : (first + at) % values;
    if (SIZE_LOG2 == 3u) {
        target_words[2u * index] = value_words[2u * value];
        target_words[2u * index + 1u] = value_words[2u * value + 1u];
        return;
    }
    if (SIZE_LOG2 == 2u) {
        target_words[index] = value_words[value];
        return;
    }
    // Other invocations write the rest of the word, so it is exchanged for as long as one of them was faster.
    uint per_word = size_elements_per_word(SIZE_LOG2);
    uint shift = (index % per_word) * (8u << SIZE_LOG2);
    uint bits = size_extract(value_words[value / per_word], value % per_word, SIZE_LOG2) << shift;
    uint keep = ~(size_mask(SIZE_LOG2) << shift);
    uint word = index / per_word;
    uint seen = atomicOr(target_words[word], 0u);
    for (;;) {
        uint found = atomicCompSwap(target_words[word], seen, (seen & keep) | bits);
        if (found == seen) break;
        seen = found;
    }
}
