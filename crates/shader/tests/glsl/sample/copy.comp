#version 450
// The oldest SPIR-V: storage buffers are uniform blocks there.
layout(local_size_x = 8, local_size_y = 4) in;
layout(set = 0, binding = 2) uniform Parameters { uint count; } parameters;
layout(set = 0, binding = 1) writeonly buffer Output { uint values[]; } target;
layout(set = 1, binding = 0, rgba8) uniform writeonly image2D picture;
layout(set = 1, binding = 1) uniform sampler2D photo;

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < parameters.count) {
        target.values[i] = i;
    }
    imageStore(picture, ivec2(gl_GlobalInvocationID.xy), textureLod(photo, vec2(0.5), 0.0));
}
