// A tile of keys in shared memory, and of each where it came from. Before the include stands width.glsl.
#ifndef WAVELANE_SORT_TILE
#define WAVELANE_SORT_TILE

layout(constant_id = 5) const uint EXCHANGE_SLOTS = 1024u;
// Keys of an invocation in a tile.
layout(constant_id = 6) const uint KEYS_EACH = 8u;
// Words of shared memory for the keys of a tile, and for where they came from, which not every sort needs.
layout(constant_id = 7) const uint KEY_SLOTS = 1024u;
layout(constant_id = 8) const uint FROM_SLOTS = 1024u;

// Most keys of an invocation: registers need a size.
const uint MOST_KEYS = 16u;

shared uint tile_keys[KEY_SLOTS];
shared uint tile_from[FROM_SLOTS];

// An invocation's keys lie side by side, and a word is left out behind sixteen, so that invocations meet in different banks.
uint tile_slot(uint at) { return at + at / 16u; }

void tile_put(uint at, Bits key) {
#if defined(WIDTH_W64)
    // Halves lie apart from each other, for the same reason.
    tile_keys[tile_slot(at)] = key.x;
    tile_keys[KEY_SLOTS / 2u + tile_slot(at)] = key.y;
#else
    tile_keys[tile_slot(at)] = key;
#endif
}

Bits tile_get(uint at) {
#if defined(WIDTH_W64)
    return uvec2(tile_keys[tile_slot(at)], tile_keys[KEY_SLOTS / 2u + tile_slot(at)]);
#else
    return tile_keys[tile_slot(at)];
#endif
}

#endif
