// What kernels share whose invocations have nothing to do with each other: how they are counted. Specialization constant 0 is the
// workgroup's size. Gives
//   bool invocation_number(uint count, out uint number)     which of `count` invocations this is; false for those past the last
#ifndef WAVELANE_ELEMENTWISE_INVOCATION
#define WAVELANE_ELEMENTWISE_INVOCATION

#include "include/group_number.glsl"

layout(constant_id = 0) const uint WORKGROUP_SIZE = 128u;
layout(local_size_x_id = 0, local_size_y = 1, local_size_z = 1) in;

bool invocation_number(uint count, out uint number) {
    uint group = workgroup_number();
    number = group * WORKGROUP_SIZE + gl_LocalInvocationIndex;
    // Past the last workgroup, numbers could begin anew at 2^32.
    return count > 0u && group <= (count - 1u) / WORKGROUP_SIZE && number < count;
}

#endif
