// Bits of `options` that the kernels of a sort know.
#ifndef WAVELANE_SORT_OPTIONS
#define WAVELANE_SORT_OPTIONS

// How many keys of a row there are stands in the table's buffer, where the device put it; at most as many as the host planned for.
const uint OPTION_COUNTED = 1u;
// The largest key comes first.
const uint OPTION_DESCENDING = 2u;
// The value of a key is its number in its row, as no value was moved yet.
const uint OPTION_NUMBERS = 4u;
// Keys are wanted, and are the only thing that is written or stand beside the values.
const uint OPTION_KEYS = 8u;
// What keys are, see include/key.glsl.
const uint OPTION_KIND_SHIFT = 8u;

#endif
