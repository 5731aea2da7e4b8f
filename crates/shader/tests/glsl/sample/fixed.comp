#version 450
// The newest SPIR-V: the local size is given by ids. No constant has a name.
layout(local_size_x_id = 7, local_size_y = 2) in;
layout(set = 0, binding = 0) buffer Output { uint values[]; };

void main() {
    values[gl_GlobalInvocationID.x] = gl_GlobalInvocationID.y;
}
