// Sums that lose nothing, so that their order does not matter: a fixed-point number of 320 bits, in two's complement, whose lowest bit is the least f32
// there is, 2^-149. 2^32 of the greatest f32 need 310 bits. Words are added by atomics; each of them that runs over carries one into the next, and how
// often it does depends on the sum alone. Gives
//   SUM_WORDS, and behind them SUM_FLAGS              words of a sum
//   EXACT_ADDER(name, words)
//     void name_word(uint base, uint at, uint word, bool takes)     adds 2^(32 * at) * word to the sum at `base`, or takes it away
//     void name(uint base, uint bits)                               adds a weight
#ifndef WAVELANE_HISTOGRAM_EXACT
#define WAVELANE_HISTOGRAM_EXACT

const uint SUM_WORDS = 10u;
const uint SUM_SIZE = 11u;
// What was added that is no number.
const uint SUM_FLAGS = 10u;
const uint FLAG_INFINITE = 1u;
const uint FLAG_MINUS_INFINITE = 2u;
const uint FLAG_NAN = 4u;

// The bit that stands for 1.
const uint SUM_ONE = 149u;

#define EXACT_ADDER(NAME, WORDS) \
    void NAME##_word(uint base, uint at, uint word, bool takes) { \
        for (uint k = at; k < SUM_WORDS && word != 0u; ++k) { \
            uint before = atomicAdd(WORDS[base + k], takes ? ~word + 1u : word); \
            word = (takes ? before < word : before > ~word) ? 1u : 0u; \
        } \
    } \
    void NAME(uint base, uint bits) { \
        uint flag; \
        uint magnitude; \
        uint position; \
        bool takes; \
        if (exact_split(bits, flag, magnitude, position, takes)) { \
            uint bit = position & 31u; \
            NAME##_word(base, position >> 5, magnitude << bit, takes); \
            if (bit != 0u) NAME##_word(base, (position >> 5) + 1u, magnitude >> (32u - bit), takes); \
        } else { \
            atomicOr(WORDS[base + SUM_FLAGS], flag); \
        } \
    }

// A weight as a magnitude, which bit of a sum its lowest is, and its sign; false for what is no number.
bool exact_split(uint bits, out uint flag, out uint magnitude, out uint position, out bool takes) {
    flag = 0u;
    magnitude = bits;
    position = SUM_ONE;
    takes = WEIGHTS != WEIGHTS_UNSIGNED && (bits & 0x80000000u) != 0u;
    if (WEIGHTS == WEIGHTS_SIGNED && takes) magnitude = ~bits + 1u;
    if (WEIGHTS != WEIGHTS_FLOAT) return true;
    magnitude = bits & 0x7fffffu;
    uint exponent = (bits >> 23) & 0xffu;
    if (exponent == 0xffu) {
        flag = magnitude != 0u ? FLAG_NAN : takes ? FLAG_MINUS_INFINITE : FLAG_INFINITE;
        return false;
    }
    if (exponent != 0u) magnitude |= 0x800000u;
    position = max(exponent, 1u) - 1u;
    return true;
}

#endif
