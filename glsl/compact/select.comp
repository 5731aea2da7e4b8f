// Keeps elements, or their positions, or puts them in front of the others: those that compare so with a value, or are set in a mask.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"
#include "compact/tiles.glsl"
