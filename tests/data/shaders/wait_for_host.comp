// For tests/gate. Compile with
//   glslangValidator -V --target-env vulkan1.1 -g0 wait_for_host.comp -o wait_for_host.spv
#version 450

// Full subgroups: on some software drivers idle lanes would not leave the loop with the others.
layout(local_size_x = 64) in;

layout(std430, set = 0, binding = 0) volatile readonly buffer Flag { uint flag; };
layout(std430, set = 0, binding = 1) buffer Reads { uint reads; };

layout(push_constant) uniform PushConstants {
    uint most;
};

// Until the host has written the flag, and not for ever: some drivers end a loop after 65535 rounds, so many workgroups follow each other.
void main() {
    for (uint i = 0; i < most && flag == 0; i++) {
        // Some compilers read a volatile word once where nothing is written in between.
        atomicAdd(reads, 1);
    }
}
