// Writing one value again and again: what both kernels share. Each invocation writes 16 bytes.
#ifndef WAVELANE_FILL_PATTERN
#define WAVELANE_FILL_PATTERN

#include "include/elementwise/element_size.glsl"
#include "include/elementwise/invocation.glsl"

// Bytes of an element as a power of two.
layout(constant_id = 1) const uint SIZE_LOG2 = 2u;

layout(set = 0, binding = 0, std430) writeonly buffer OutputWords { uint output_words[]; };
layout(set = 0, binding = 0, std430) writeonly buffer OutputQuads { uvec4 output_quads[]; };

// Elements [0, elements) of the bound output. `pattern` is the value as often as it fits two words. What else is in the last word becomes 0.
void fill_pattern(uvec2 pattern, uint elements) {
    uint bytes = elements << SIZE_LOG2;
    uint words = size_words(elements, SIZE_LOG2);
    uint quad;
    if (!invocation_number((words + 3u) / 4u, quad)) return;
    if (4u * quad + 4u <= bytes / 4u) {
        output_quads[quad] = pattern.xyxy;
        return;
    }
    for (uint word = 4u * quad; word < words; ++word) {
        uint left = bytes - 4u * word;
        uint mask = left >= 4u ? 0xffffffffu : (1u << (8u * left)) - 1u;
        output_words[word] = pattern[word & 1u] & mask;
    }
}

#endif
