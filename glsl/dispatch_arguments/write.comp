// The arguments of indirect dispatches from counts that the device has: one invocation a list. Nothing is exchanged between
// invocations, so there is one path.
#version 450

layout(local_size_x = 64, local_size_x_id = 0) in;

layout(push_constant) uniform PushConstants {
    uint lists;                 // counts to read, and records to write
    uint first_count;           // word of the first count
    uint elements_per_group;    // elements that a workgroup of the dispatch takes
    uint capacity;              // the most elements that a list holds
    uint most_x;                // maxComputeWorkGroupCount; z is the host's to check
    uint most_y;
};

layout(set = 0, binding = 0, std430) readonly buffer Counts { uint counts[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Records { uint records[]; };

// Words of a record: group counts in x, y and z; elements in the list; elements that did not fit.
const uint RECORD_WORDS = 5u;

uint divide_up(uint a, uint b) { return a / b + (a % b == 0u ? 0u : 1u); }

// As wavelane_record::fold_groups: layers as few as can be, then rows as few, then as short.
uvec3 fold_groups(uint groups) {
    if (groups == 0u) return uvec3(0u, 1u, 1u);
    uint rows = divide_up(groups, most_x);
    uint z = divide_up(rows, most_y);
    uint y = divide_up(rows, z);
    return uvec3(divide_up(groups, y * z), y, z);
}

void main() {
    uint list = gl_GlobalInvocationID.x;
    if (list >= lists) return;
    uint counted = counts[first_count + list];
    uint count = min(counted, capacity);
    uvec3 groups = fold_groups(divide_up(count, elements_per_group));
    uint record = list * RECORD_WORDS;
    records[record] = groups.x;
    records[record + 1u] = groups.y;
    records[record + 2u] = groups.z;
    records[record + 3u] = count;
    records[record + 4u] = counted - count;
}
