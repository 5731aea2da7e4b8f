// For tests/gate. Compile with
//   glslangValidator -V --target-env vulkan1.1 -g0 wait_for_host.comp -o wait_for_host.spv
#version 450

layout(local_size_x = 1) in;

layout(std430, set = 0, binding = 0) coherent volatile readonly buffer Flag { uint flag; };
layout(std430, set = 0, binding = 1) writeonly buffer Seen { uint seen; };

layout(push_constant) uniform PushConstants {
    uint most;
};

// Until the host has written the flag, and not for ever.
void main() {
    uint i = 0;
    while (i < most && flag == 0) {
        i += 1;
    }
    seen = i;
}
