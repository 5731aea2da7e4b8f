// Lanes count by subgroup arithmetic, or by shuffles; shared memory carries one count a subgroup. Nothing is assumed of the
// subgroup size but that it is a power of two and that subgroups are full.
shared uint append_counts[WORKGROUP_SIZE];

bool append_leader() { return gl_SubgroupID == 0u && gl_SubgroupInvocationID == 0u; }

// How many lanes of the subgroup before this one take a slot, and how many in all.
uint append_lane_rank(bool takes, out uint total) {
    uint own = takes ? 1u : 0u;
#ifdef PATH_SUBGROUP
    total = subgroupAdd(own);
    return subgroupExclusiveAdd(own);
#else
    uint sum = own;
    for (uint step = 1u; step < gl_SubgroupSize; step <<= 1) {
        uint lane = gl_SubgroupInvocationID;
        uint before = subgroupShuffle(sum, lane >= step ? lane - step : lane);
        if (lane >= step) sum += before;
    }
    total = subgroupShuffle(sum, gl_SubgroupSize - 1u);
    return sum - own;
#endif
}

// The same of the workgroup.
uint append_rank(bool takes, out uint total) {
    uint lanes;
    uint rank = append_lane_rank(takes, lanes);
    if (gl_SubgroupInvocationID == 0u) append_counts[gl_SubgroupID] = lanes;
    barrier();
    total = 0u;
    for (uint s = 0u; s < gl_NumSubgroups; ++s) {
        uint count = append_counts[s];
        if (s < gl_SubgroupID) rank += count;
        total += count;
    }
    return rank;
}
