// The digit of this dispatch. Before the include stand interface.glsl and width.glsl.
#ifndef WAVELANE_SORT_DIGIT
#define WAVELANE_SORT_DIGIT

#include "sort/keys.glsl"

uint digit_of(Bits b) { return key_digit(sort_key(b), shift, digit_mask); }

#endif
