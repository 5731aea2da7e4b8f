// A radix sort in which each pass reads the keys once: the digits of all passes are counted before (STAGE_COUNT, STAGE_STARTS), and in each pass (STAGE_MOVE) a workgroup adds up what the tiles before its own
// counted by looking back at what those published. After Adinets and Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs" (2022), in my own words:
//
// Workgroups take tiles in the order in which they begin. For each value of the digit a workgroup publishes how many its tile has, and then, as it has added up those before, how many there are up to its end.
// Tiles share a ring of lines. A tile of group g waits until group g - 2 is done, each of whose tiles has added up all before it. So whoever adds up finds the end in the group before the one before its own,
// at the latest; and in the line that the tile four groups before had, nobody reads any more.
//
// With IS_PATIENT a workgroup waits for others as long as it takes, which needs a device on which workgroups that began go on. Without, it counts the tile of a workgroup that publishes nothing itself; there is
// one group then, and nobody waits for a line.
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "include/extensions.glsl"
#extension GL_KHR_shader_subgroup_ballot : enable
#extension GL_EXT_control_flow_attributes : enable
#extension GL_KHR_memory_scope_semantics : enable
#include "include/group_number.glsl"
#include "sort/constants.glsl"
#include "sort/options.glsl"

// The counts of all tiles that are before this one in the order are those of a stage of its own.
const uint STAGE_STARTS = 3u;

layout(constant_id = 8) const uint IS_PATIENT = 1u;
// A tile whose workgroup publishes nothing, if nobody waits for ever, for tests; none is ~0.
layout(constant_id = 9) const uint HELD_TILE = 0xffffffffu;

layout(push_constant) uniform PushConstants {
    uint row_length;  // how many keys there are
    uint count_word;  // where their number is, if the device has it
    uint options;     // OPTION_*
    uint begin_bit;   // the lowest bit that keys are compared by
    uint end_bit;     // and the one behind the highest
    uint digits;      // how many digits these are in
    uint shift;       // the digit's lowest bit
    uint digit_mask;  // its bits, moved down
    uint digit;       // its number
    uint group_tiles; // tiles of a group
    uint ring_tiles;  // lines of the ring
    uint key_shift;   // how far bit 0 of a key is from bit 0 of its word
};

#include "compact/width.glsl"
#include "sort/digit.glsl"

layout(set = 0, binding = 1, std430) buffer Table { uint table_words[]; };

#include "sort/sweep.glsl"

// Words of the table: the count of keys; for each digit whether all keys share it; for each digit and value the counts, and then where the value begins; the next tile; tiles of each quarter of the ring that are
// done; and the ring.
const uint SHARED_DIGIT_WORD = 1u;
const uint MOST_DIGITS = 16u;
const uint STARTS_WORD = SHARED_DIGIT_WORD + MOST_DIGITS;
uint ticket_word() { return STARTS_WORD + digits * VALUES; }
uint done_word() { return ticket_word() + 1u; }
uint ring_word() { return done_word() + 4u; }

// What a tile publishes for a value: keys above three bits. Of these the upper two say what is counted, and the lowest tells from which round of the ring it is.
const uint COUNTED_NOTHING = 0u;
const uint COUNTED_TILE = 1u;
const uint COUNTED_ALL = 2u;

// Looks at the same tile before another workgroup does its work, where it comes to that.
const uint PATIENCE = 32u;

shared uint taken_tile;
// The tile that publishes nothing, and one more; 0 if there is none. And how many of its keys have each value.
shared uint stalled;
shared uint recounted[VALUES];
// How many of this tile's keys have each value.
shared uint sums[VALUES];

// What other workgroups are writing.
uint read(uint word) { return atomicLoad(table_words[word], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed); }

uint live_keys() { return (options & OPTION_COUNTED) != 0u ? min(table_words[count_word], row_length) : row_length; }

// Adds this workgroup's share of keys to the counts of all digits.
void count_digits(uint share, uint shares) {
    uint lane = gl_LocalInvocationIndex;
    uint line = digits * VALUES;
    // As many copies as there is room for, so that fewer subgroups meet in a word.
    uint copies = max(min(POOL_SLOTS / line, gl_NumSubgroups), 1u);
    uint own_copy = gl_SubgroupID % copies * line;
    for (uint at = lane; at < copies * line; at += WORKGROUP_SIZE) pool[at] = 0u;
    barrier();
    uint live = live_keys();
    uint tiles = live / TILE + (live % TILE > 0u ? 1u : 0u);
    for (uint tile = share; tile < tiles; tile += shares) {
        uint count = min(TILE, live - tile * TILE);
        load_keys(tile * TILE, count);
        uint own = own_begin();
        [[unroll]] for (uint j = 0u; j < KEYS_EACH; ++j) keys[j] = sort_key(keys[j]);
        uint bit = begin_bit;
        for (uint number = 0u; number < digits; ++number) {
            uint bits = (end_bit - bit + digits - number - 1u) / (digits - number);
            uint counters = own_copy + number * VALUES;
            [[unroll]] for (uint j = 0u; j < KEYS_EACH; ++j)
                if (own + j * gl_SubgroupSize < count) atomicAdd(pool[counters + key_digit(keys[j], key_shift + bit, (1u << bits) - 1u)], 1u);
            bit += bits;
        }
    }
    barrier();
    for (uint at = lane; at < line; at += WORKGROUP_SIZE) {
        uint sum = 0u;
        for (uint copy = 0u; copy < copies; ++copy) sum += pool[copy * line + at];
        if (sum > 0u) atomicAdd(table_words[STARTS_WORD + at], sum);
    }
}

// Where each value begins, from how many there are before it.
void find_starts() {
    uint lane = gl_LocalInvocationIndex;
    uint live = live_keys();
    for (uint number = 0u; number < digits; ++number) {
        uint running = 0u;
        for (uint group = 0u; group < VALUES; group += WORKGROUP_SIZE) {
            uint value = group + lane;
            uint word = STARTS_WORD + number * VALUES + value;
            uint count = value < VALUES ? table_words[word] : 0u;
            if (count == live) table_words[SHARED_DIGIT_WORD + number] = 1u;
            uint before = before_value(count, running);
            if (value < VALUES) table_words[word] = before;
        }
    }
}

uint line_of(uint tile) { return ring_word() + tile % ring_tiles * VALUES; }
uint published(uint tile, uint counted, uint keys) { return keys << 3u | counted << 1u | (tile / ring_tiles & 1u); }

// More than one workgroup may publish a tile's count, which is the same; nobody publishes less than is published.
void publish(uint tile, uint value, uint counted, uint keys) {
    if (IS_PATIENT == 0u && tile == HELD_TILE) return;
    uint word = line_of(tile) + value;
    if (IS_PATIENT != 0u) {
        atomicStore(table_words[word], published(tile, counted, keys), gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
    } else if (counted == COUNTED_ALL) {
        atomicExchange(table_words[word], published(tile, counted, keys));
    } else {
        atomicCompSwap(table_words[word], 0u, published(tile, counted, keys));
    }
}

// Counts a tile for the workgroup that should.
void count_for(uint tile, uint live) {
    uint lane = gl_LocalInvocationIndex;
    for (uint value = lane; value < VALUES; value += WORKGROUP_SIZE) recounted[value] = 0u;
    barrier();
    uint end = min(TILE, live - tile * TILE);
    for (uint at = lane; at < end; at += WORKGROUP_SIZE) atomicAdd(recounted[digit_of(input_element(tile * TILE + at))], 1u);
    barrier();
    for (uint value = lane; value < VALUES; value += WORKGROUP_SIZE)
        atomicCompSwap(table_words[line_of(tile) + value], 0u, published(tile, COUNTED_TILE, recounted[value]));
    barrier();
}

// One value's way back: tiles from `end` on are added up, and the one before has this line of the ring in this round.
struct Way { uint end; uint sum; uint line; uint round; };

// Goes back until everything is added up, or a tile has published nothing for as long as patience lasts.
void look_back(inout Way way, uint value) {
    uint seen = 0u;
    while (way.end > 0u) {
        uint word = read(ring_word() + way.line * VALUES + value);
        uint counted = word >> 1u & 3u;
        if (counted == COUNTED_NOTHING || (word & 1u) != (way.round & 1u)) {
            if (IS_PATIENT == 0u && ++seen >= PATIENCE) return;
            continue;
        }
        seen = 0u;
        way.sum += word >> 3u;
        way.end = counted == COUNTED_ALL ? 0u : way.end - 1u;
        if (way.line == 0u) {
            way.line = ring_tiles;
            --way.round;
        }
        --way.line;
    }
}

// How many keys with this invocation's value the tiles before this one have. With barriers, in uniform control flow.
uint add_up(uint tile, uint value, uint live) {
    uint last = max(tile, 1u) - 1u;
    Way way = Way(value < VALUES ? tile : 0u, 0u, last % ring_tiles, last / ring_tiles);
    for (;;) {
        look_back(way, value);
        if (IS_PATIENT != 0u) return way.sum;
        if (gl_LocalInvocationIndex == 0u) stalled = 0u;
        barrier();
        atomicMax(stalled, way.end);
        barrier();
        uint missing = stalled;
        barrier();
        if (missing == 0u) return way.sum;
        count_for(missing - 1u, live);
    }
    return 0u;
}

// Waits until the group before the one before the tile's own is done.
void wait_for_line(uint tile) {
    uint group = tile / group_tiles;
    if (group < 2u) return;
    uint before = group - 2u;
    if (gl_LocalInvocationIndex == 0u) {
        while (read(done_word() + before % 4u) < (before / 4u + 1u) * group_tiles) {}
    }
    memoryBarrierBuffer();
    barrier();
}

void move_keys() {
    uint lane = gl_LocalInvocationIndex;
    if (lane == 0u) taken_tile = atomicAdd(table_words[ticket_word()], 1u);
    barrier();
    uint tile = taken_tile;
    uint live = live_keys();
    // Without a product, which may pass 2^32.
    if (live == 0u || tile > (live - 1u) / TILE) return;
    uint first = tile * TILE;
    uint count = min(TILE, live - first);
    row_first = 0u;
    if (table_words[SHARED_DIGIT_WORD + digit] != 0u) {
        copy_keys(first, first + count);
        return;
    }
    load_keys(first, count);
    rank_keys(count);
    if (IS_PATIENT != 0u) wait_for_line(tile);
    uint running = 0u;
    for (uint group = 0u; group < VALUES; group += WORKGROUP_SIZE) {
        uint value = group + lane;
        uint sum = count_of(value);
        // What is not there was counted as the last value, but nothing comes behind it.
        if (value < VALUES) publish(tile, value, tile == 0u ? COUNTED_ALL : COUNTED_TILE, sum);
        uint begin = before_value(sum, running);
        if (value < VALUES) {
            begin_at(value, begin);
            bases[value] = begin;
            sums[value] = sum;
        }
    }
    barrier();
    order_keys();
    if (VALUE_WORDS > 0u) load_values(first, count, 0u);
    for (uint group = 0u; group < VALUES; group += WORKGROUP_SIZE) {
        uint value = group + lane;
        uint before = add_up(tile, value, live);
        if (value < VALUES) {
            if (tile > 0u) publish(tile, value, COUNTED_ALL, before + sums[value]);
            bases[value] = table_words[STARTS_WORD + digit * VALUES + value] + before - bases[value];
        }
    }
    memoryBarrierBuffer();
    barrier();
    if (lane == 0u && IS_PATIENT != 0u) atomicAdd(table_words[done_word() + tile / group_tiles % 4u], 1u);
    move_tile(first, count);
}

void main() {
    if (STAGE == STAGE_COUNT) count_digits(workgroup_number(), gl_NumWorkGroups.x * gl_NumWorkGroups.y * gl_NumWorkGroups.z);
    else if (STAGE == STAGE_STARTS) find_starts();
    else move_keys();
}
