// Writing start, start + step, start + 2 step, …: what both kernels share. Element i does not depend on the one before it. Each invocation writes 16
// bytes. Integers wrap; those of 64 bits are made of words, so that no device needs to know them.
#ifndef WAVELANE_IOTA_STEPS
#define WAVELANE_IOTA_STEPS

#include "include/half.glsl"
#include "include/elementwise/element_size.glsl"
#include "include/elementwise/invocation.glsl"

// Bytes of an element as a power of two.
layout(constant_id = 1) const uint SIZE_LOG2 = 2u;

layout(set = 0, binding = 0, std430) writeonly buffer OutputWords { uint output_words[]; };
layout(set = 0, binding = 0, std430) writeonly buffer OutputQuads { uvec4 output_quads[]; };

layout(push_constant) uniform PushConstants {
    uvec2 start;        // bits of the first value, of f32 where elements are f16
    uvec2 step;         // bits of what each element is more than the one before
    uint elements;      // elements that this dispatch has room for
    uint first;         // elements in the dispatches before
};

// The bits of element i.
uvec2 value(uint i) {
#if defined(NUMBER_INTEGER32)
    return uvec2(start.x + i * step.x, 0u);
#elif defined(NUMBER_INTEGER64)
    uint high, low, carry;
    umulExtended(i, step.x, high, low);
    low = uaddCarry(low, start.x, carry);
    return uvec2(low, high + i * step.y + start.y + carry);
#elif defined(NUMBER_F32)
    // No fused multiply and add, so that every device rounds twice.
    precise float product = float(i) * uintBitsToFloat(step.x);
    precise float sum = uintBitsToFloat(start.x) + product;
    return uvec2(SIZE_LOG2 == 1u ? half_from_float(sum) : floatBitsToUint(sum), 0u);
#else
    precise double product = double(i) * packDouble2x32(step);
    precise double sum = packDouble2x32(start) + product;
    return unpackDouble2x32(sum);
#endif
}

// Word `word` of the output, of which `count` elements are written; past the last one it is 0.
uint word_of(uint word, uint count) {
    if (SIZE_LOG2 == 3u) return value(first + word / 2u)[word & 1u];
    uint bits = 0u;
    uint per_word = size_elements_per_word(SIZE_LOG2);
    for (uint k = 0u; k < per_word; ++k) {
        uint element = word * per_word + k;
        if (element < count) size_insert(bits, k, value(first + element).x, SIZE_LOG2);
    }
    return bits;
}

// The first `count` elements of the bound output. What else is in the last word becomes 0.
void write_steps(uint count) {
    uint words = size_words(count, SIZE_LOG2);
    uint quad;
    if (!invocation_number((words + 3u) / 4u, quad)) return;
    uint word = 4u * quad;
    if (word + 4u <= words) {
        output_quads[quad] = uvec4(word_of(word, count), word_of(word + 1u, count), word_of(word + 2u, count), word_of(word + 3u, count));
        return;
    }
    for (; word < words; ++word) output_words[word] = word_of(word, count);
}

#endif
