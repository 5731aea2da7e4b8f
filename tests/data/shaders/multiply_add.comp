// For tests/record.rs. Compile with
//   glslangValidator -V --target-env vulkan1.1 -g0 multiply_add.comp -o multiply_add.spv
#version 450

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint addend = 0;

layout(push_constant) uniform PushConstants {
    uint count;
    uint factor;
};

layout(std430, set = 0, binding = 0) readonly buffer From { uint from[]; };
layout(std430, set = 0, binding = 1) writeonly buffer To { uint to[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < count) {
        to[i] = from[i] * factor + addend;
    }
}
