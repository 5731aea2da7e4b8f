// Writes numbers in equal steps to all elements of an array.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"
#include "iota/steps.glsl"

void main() { write_steps(elements); }
