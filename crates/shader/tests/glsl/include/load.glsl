// Two views of one binding.
layout(set = 0, binding = 0) readonly buffer SourceWords { uint words[]; };
layout(set = 0, binding = 0) readonly buffer SourceQuads { uvec4 quads[]; };
layout(constant_id = 3) const int shift = -2;

uint load(uint i) { return words[i] + quads[i].w + uint(shift); }
