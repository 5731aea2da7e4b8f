// A workgroup has a row, and finds its first keys, or the key at a place of its order, from the first digit to the last.
#version 450
#extension GL_GOOGLE_include_directive : enable
#extension GL_EXT_control_flow_attributes : enable
#include "include/extensions.glsl"
#include "radix_select/interface.glsl"
#include "compact/width.glsl"
#include "radix_select/keys.glsl"
#include "radix_select/count.glsl"

layout(constant_id = 3) const uint EXCHANGE_SLOTS = 1024u;

layout(set = 0, binding = 1, std430) buffer Table { uint table_words[]; };
layout(set = 0, binding = 2, std430) buffer KeyWords { uint key_words[]; };
layout(set = 0, binding = 3, std430) buffer PositionWords { uint position_words[]; };

const bool HAS_HEADS = false;
const uint EXCHANGE_HEAD_SLOTS = 1u;
#define CARRY_HAS_ARITHMETIC true
#include "include/state/count.glsl"
#include "include/scan/carry.glsl"
#include "include/scan/exchange.glsl"

uint count_of(uint value) { return counters[value]; }
#include "radix_select/choose.glsl"
#include "radix_select/results.glsl"
#include "radix_select/gather.glsl"

void main() {
    uint line = workgroup_number();
    if (line >= lines) return;
    uint table_row = line % rows;
    uint row = first_row + table_row;
    uint begin = row * row_length - first;
    uint end = begin + row_length;
    uint place = table_words[place_at(line)];
    Bits found = Bits(0u);
    // A word after the other, the upper one first; of narrow keys the bits that they have.
    const uint DIGITS = (KEY_BITS + DIGIT_BITS - 1u) / DIGIT_BITS;
    for (uint word = WORDS; word > 0u; --word) {
        for (uint digit = 0u; digit < DIGITS; ++digit) {
            uint shift_of = 32u - min((digit + 1u) * DIGIT_BITS, KEY_BITS);
            Digit d = Digit(shift_of, (1u << (32u - digit * DIGIT_BITS - shift_of)) - 1u, word == 2u);
            counters_clear();
            barrier();
            count_keys(begin, end, found, d);
            barrier();
            choose(place);
            found = with_digit(found, chosen[0], d);
            place = chosen[1];
            barrier();
        }
    }
    if ((options & (OPTION_KEYS | OPTION_POSITIONS)) != 0u) {
        // Of the last digit the counts are there still: all keys with the value chosen are equal.
        Split whole = Split(table_words[place_at(line)] - place, counters[chosen[0]]);
        bool is_around = (options & OPTION_AROUND) != 0u;
        gather_keys(begin, end, begin, found, is_around ? whole.equal : place + 1u, Split(0u, 0u), whole, row * first_results);
    } else if (gl_LocalInvocationIndex == 0u) {
#if defined(WIDTH_W64)
        table_words[low_at(line)] = found.x;
        table_words[high_at(line)] = found.y;
#else
        table_words[low_at(line)] = found;
#endif
    }
}
