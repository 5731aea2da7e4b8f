// A tree in shared memory, eight slots to a node: as many levels as that takes, each with one barrier, and none on the way down: who wants a
// prefix combines one entry of each level.

const uint TREE_RADIX = 8u;

// Invocations read eight slots each, so a word is left out behind every eight: their reads fall into different banks.
uint tree_at(uint slot) { return slot + slot / TREE_RADIX; }

uint tree_nodes(uint slots) { return (slots + TREE_RADIX - 1u) / TREE_RADIX; }

// Slots of the level that was scanned first, and the slot of the total.
uint tree_slots;
uint tree_top;

void tree_scan(uint slots) {
    tree_slots = slots;
    uint begin = 0u;
    for (uint count = slots; count > 1u;) {
        uint nodes = tree_nodes(count);
        uint above = begin + nodes * TREE_RADIX;
        // There are no more nodes than invocations.
        uint node = gl_LocalInvocationIndex;
        if (node < nodes) {
            Carry sum = carry_identity();
            uint first = node * TREE_RADIX;
            uint last = min(first + TREE_RADIX, count);
            for (uint slot = first; slot < last; ++slot) {
                Carry own = exchange_load(tree_at(begin + slot));
                exchange_store(tree_at(begin + slot), sum);
                sum = carry_combine(sum, own);
            }
            exchange_store(tree_at(above + node), sum);
        }
        barrier();
        begin = above;
        count = nodes;
    }
    tree_top = begin;
}

Carry tree_prefix(uint slot) {
    // A single slot is its own total, and nothing comes before it.
    if (tree_slots == 1u) return carry_identity();
    Carry prefix = exchange_load(tree_at(slot));
    uint begin = 0u;
    for (uint count = tree_slots; count > TREE_RADIX;) {
        uint nodes = tree_nodes(count);
        begin += nodes * TREE_RADIX;
        count = nodes;
        slot /= TREE_RADIX;
        prefix = carry_combine(exchange_load(tree_at(begin + slot)), prefix);
    }
    return prefix;
}

Carry tree_total() { return exchange_load(tree_at(tree_top)); }
