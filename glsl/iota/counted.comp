// Writes numbers in equal steps to the first elements of an array: to as many as the device counted.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"
#define COUNT_ALWAYS
#define COUNT_BINDING 1
#include "include/elementwise/count.glsl"
#include "iota/steps.glsl"

void main() { write_steps(count_of(first, elements)); }
