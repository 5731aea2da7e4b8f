// One pass: each tile finds what came before it by looking back over what the tiles before it have published, the aggregate of their own
// elements or the inclusive carry of everything up to their end (decoupled look-back, Merrill and Garland 2016). It does not rely on the device to go on with workgroups
// that wait: where a tile does not publish for a while, the one that waits for it reads its elements and publishes in its place (decoupled fallback, Smith, Levien
// and Owens 2025). So the input must still be there: not in place.
//
// Before the include stand the exchange, partials.glsl, and
//   STATUS_WORDS                              a `volatile coherent` view of scratch
//   HELD_TILE                                 a constant: a tile whose workgroup publishes nothing, for tests; none is ~0
// Scratch holds a status for each tile, cleared before the dispatch, and for each the two carries.
#ifndef WAVELANE_SCAN_LOOK_BACK
#define WAVELANE_SCAN_LOOK_BACK

const uint STATUS_NOTHING = 0u;
const uint STATUS_AGGREGATE = 1u;
const uint STATUS_INCLUSIVE = 2u;

// Looks at the same tiles before another workgroup does their work.
const uint PATIENCE = 8u;
// Words of scratch: where statuses begin, where carries do, and where it is counted how often a workgroup did another's work.
struct LookBack { uint status; uint carries; uint fallbacks; };

uint look_back_slot(LookBack at, uint tile, uint status) { return at.carries + (2u * tile + status - 1u) * carry_words(); }

// A carry is available to the device before its status says so; more than one workgroup may publish the same aggregate, which has the same bits.
void look_back_publish(LookBack at, uint tile, uint status, Carry c) {
    carry_store(look_back_slot(at, tile, status), c);
    memoryBarrierBuffer();
    atomicMax(SCRATCH_WORDS[at.status + tile], status);
}

// What a workgroup sees when it looks back over as many tiles as it has invocations.
struct Look {
    uint outcome;   // one of LOOK_*
    uint status;    // of this invocation's tile: the one that many before the end
    uint reach;     // LOOK_FOUND: how far back the inclusive carry is; LOOK_STALLED: how far back the tile is that publishes nothing
};

// One of the tiles, or the beginning, has an inclusive carry, and all behind it have their aggregates.
const uint LOOK_FOUND = 0u;
// All of them have their aggregates.
const uint LOOK_ON = 1u;
// One of them has nothing, after some patience.
const uint LOOK_STALLED = 2u;

// The nearest tiles, counted backwards, that have their inclusive carry, and that have nothing: for this look, and for the next two, so that one barrier a look is enough.
shared uint look_back_inclusive[3];
shared uint look_back_nothing[3];

// Looks back from tile `end`, which is left out. Called by the whole workgroup, with a barrier() since it was called last.
Look look_back(LookBack at, uint end) {
    uint lane = gl_LocalInvocationIndex;
    if (lane < 3u) {
        look_back_inclusive[lane] = WORKGROUP_SIZE;
        look_back_nothing[lane] = WORKGROUP_SIZE;
    }
    barrier();
    for (uint look = 0u;; ++look) {
        uint turn = look % 3u;
        // Before the first tile there is nothing, inclusively.
        uint status = lane < end ? STATUS_WORDS[at.status + end - 1u - lane] : STATUS_INCLUSIVE;
        if (status == STATUS_INCLUSIVE) atomicMin(look_back_inclusive[turn], lane);
        if (status == STATUS_NOTHING) atomicMin(look_back_nothing[turn], lane);
        barrier();
        uint inclusive = look_back_inclusive[turn];
        uint nothing = look_back_nothing[turn];
        uint later = (turn + 2u) % 3u;
        if (lane == 0u) {
            look_back_inclusive[later] = WORKGROUP_SIZE;
            look_back_nothing[later] = WORKGROUP_SIZE;
        }
        if (inclusive < nothing) return Look(LOOK_FOUND, status, inclusive);
        if (nothing == WORKGROUP_SIZE) return Look(LOOK_ON, status, WORKGROUP_SIZE - 1u);
        if (look + 1u >= PATIENCE) return Look(LOOK_STALLED, status, nothing);
    }
    return Look(LOOK_STALLED, STATUS_NOTHING, 0u);
}

// What this invocation's tile adds to what the look reached.
Carry look_back_carry(LookBack at, uint end, Look seen) {
    memoryBarrierBuffer();
    uint lane = gl_LocalInvocationIndex;
    if (lane >= end || lane > seen.reach) return carry_identity();
    return carry_load(look_back_slot(at, end - 1u - lane, seen.status));
}

#endif
