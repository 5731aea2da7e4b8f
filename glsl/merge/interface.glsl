// What the kernels of a merge share: bits of `options`.
#ifndef WAVELANE_MERGE_INTERFACE
#define WAVELANE_MERGE_INTERFACE

// The largest element comes first.
const uint OPTION_DESCENDING = 1u;
// How many elements the first array has stands in `counts`, and how many the second; at most as many as the host planned for.
const uint OPTION_COUNTED_FIRST = 2u;
const uint OPTION_COUNTED_SECOND = 4u;
// Results are numbers of elements, those of the second array behind those of the first.
const uint OPTION_NUMBERS = 8u;
// Of the first array all count for these numbers that the host planned for, whether they are there or not.
const uint OPTION_PLANNED_NUMBERS = 16u;
// The elements that are put in their places are those of the second array.
const uint OPTION_SECOND = 32u;
// What elements are, see include/key.glsl.
const uint OPTION_KIND_SHIFT = 8u;

#endif
