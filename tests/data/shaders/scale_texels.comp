// For tests/submission.rs. Compile with
//   glslangValidator -V --target-env vulkan1.1 -g0 scale_texels.comp -o scale_texels.spv
#version 450

layout(local_size_x = 8, local_size_y = 8) in;

layout(set = 0, binding = 0, r32ui) uniform uimage2D texels;
layout(std430, set = 0, binding = 1) readonly buffer Factors { uint factors[]; };

// Each texel times the factor of its column.
void main() {
    ivec2 place = ivec2(gl_GlobalInvocationID.xy);
    if (all(lessThan(place, imageSize(texels)))) {
        uint texel = imageLoad(texels, place).x;
        imageStore(texels, place, uvec4(texel * factors[place.x]));
    }
}
