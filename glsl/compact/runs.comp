// Keeps the first element of each run of neighbours that are equal by their bits, and its position, or numbers the runs.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"
#define SECOND_OUTPUT
#include "compact/tiles.glsl"
