// The keys that were found for some places of some rows, as elements: those of all rows for one place, then for the next. An invocation has one.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"
#include "radix_select/interface.glsl"
// The table is what is read here.
#include "compact/width.glsl"
#include "radix_select/keys.glsl"

layout(set = 0, binding = 1, std430) buffer KeyWords { uint key_words[]; };

#include "radix_select/store.glsl"

void main() {
    uint number = workgroup_number() * WORKGROUP_SIZE + gl_LocalInvocationIndex;
    // Places from `first_part` on, `dispatch_parts` of them.
    if (number >= rows * dispatch_parts) return;
    uint place = number / rows;
    uint row = number - place * rows;
    uint line = (first_part + place) * rows + row;
#if defined(WIDTH_W64)
    Bits key = uvec2(input_words[low_at(line)], input_words[high_at(line)]);
#else
    Bits key = input_words[low_at(line)];
#endif
    store_key((first_part + place) * all_rows + first_row + row - first_key, element_of_key(key));
}
