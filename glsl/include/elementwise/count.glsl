// How many elements are treated: as many as the host says, or as a u32 in a buffer of the device does when the work runs. COUNT_BINDING is where that
// buffer is bound, and COUNT_ALWAYS says that it always is; without, specialization constant 7 says so. Gives
//   uint count_of(uint first, uint elements)     how many of `elements` elements, behind `first` others, are treated
#ifndef WAVELANE_ELEMENTWISE_COUNT
#define WAVELANE_ELEMENTWISE_COUNT

#ifdef COUNT_ALWAYS
const uint COUNTED = 1u;
#else
// 1: the device has the number. 0: another buffer is bound in its place, which is not read as that.
layout(constant_id = 7) const uint COUNTED = 0u;
#endif

layout(set = 0, binding = COUNT_BINDING, std430) readonly buffer Count { uint counted; };

uint count_of(uint first, uint elements) {
    if (COUNTED == 0u) return elements;
    // What is counted beyond the last element is not there.
    return min(max(counted, first) - first, elements);
}

#endif
