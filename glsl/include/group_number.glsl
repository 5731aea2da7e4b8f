// Which workgroup this is, where the host or the device folded one row of them into x, y and z. Folding pads, so a number can
// lie past the end; it fits 32 bits, the padding included.
#ifndef WAVELANE_GROUP_NUMBER
#define WAVELANE_GROUP_NUMBER

uint workgroup_number() {
    return (gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y) * gl_NumWorkGroups.x + gl_WorkGroupID.x;
}

#endif
