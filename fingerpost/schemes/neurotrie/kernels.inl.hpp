// Body of the kernels, compiled once for each instruction set because each counts bits in its own way.
//
// A step of a lookup has two dependent loads: the header of a node, which has the stride, and the block of
// the slot. A batch takes half steps together: all lookups read their headers and prefetch their blocks, then
// all read their blocks and prefetch the next header. The lookups that continue are written to a list without
// a branch.
//
// Let v be the slot within its block. bits << (63 - v) has bit v at the top and only the bits below v after
// it. Shifts take their count modulo 64, so slots are stored complemented.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/schemes/neurotrie/view.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/vec.hpp"

namespace fingerpost::neurotrie {
namespace {

using namespace simd;

// Number of lookups that advance together.
constexpr unsigned block_lanes = 64;

// The position of a slot, from the header.
struct place {
    std::uint32_t block;
    std::uint32_t children; // number of the first child
    std::uint32_t leaves;
    std::uint32_t turned; // the slot, complemented
};
template <class Cursor>
FINGERPOST_INLINE place find_slot(const trie_view& view, std::uint32_t number, Cursor& at) {
    const header& node = view.headers[number];
    const auto slot = static_cast<std::uint32_t>(at.take(node.stride));
    return {node.blocks + slot / 64, node.children, node.leaves, ~slot};
}

// The number of the child. `goes_on` is false without a child.
struct next_node {
    std::uint32_t number;
    bool goes_on;
};
FINGERPOST_INLINE next_node child_of(const trie_view& view, const place& in) {
    const block& b = view.blocks[in.block];
    const std::uint64_t through = up_to(b.child, in.turned);
    return {in.children + b.children_before + population(through) - 1, (through >> 63) != 0};
}
template <leaf_width Width>
FINGERPOST_INLINE std::uint32_t leaf_of(const trie_view& view, const place& in) {
    const block& b = view.blocks[in.block];
    const std::uint32_t run = b.runs_before + population(up_to(b.run, in.turned)) - 1;
    return in.leaves + (Width == leaf_width::two_bytes ? run : 2 * run);
}

template <leaf_width Width, class Cursor, class Address>
FINGERPOST_INLINE void look_up_block(const trie_view& view, const Address* in, std::uint32_t* out,
                                     std::size_t count) {
    Cursor at[block_lanes];
    place places[block_lanes];
    std::uint32_t numbers[block_lanes]; // node numbers; at the end, leaf numbers
    std::uint8_t going[block_lanes];
    for (std::size_t i = 0; i < count; ++i) {
        at[i] = cursor_of(in[i]);
        numbers[i] = view.root;
        going[i] = static_cast<std::uint8_t>(i);
    }
    for (std::size_t left = count; left > 0;) {
        for (std::size_t i = 0; i < left; ++i) {
            const std::uint8_t lane = going[i];
            places[lane] = find_slot(view, numbers[lane], at[lane]);
            __builtin_prefetch(view.blocks + places[lane].block);
        }
        std::size_t still = 0;
        for (std::size_t i = 0; i < left; ++i) {
            const std::uint8_t lane = going[i];
            const next_node next = child_of(view, places[lane]);
            numbers[lane] = next.number;
            __builtin_prefetch(view.headers + next.number);
            going[still] = lane;
            still += next.goes_on ? 1 : 0;
        }
        left = still;
    }
    // The last block of each lookup has just been read.
    for (std::size_t i = 0; i < count; ++i) {
        numbers[i] = leaf_of<Width>(view, places[i]);
        __builtin_prefetch(view.leaves + numbers[i]);
    }
    for (std::size_t i = 0; i < count; ++i)
        out[i] = read_leaf<Width>(view, plain_reads{}, numbers[i]);
}

template <leaf_width Width, class Cursor, class Address>
void look_up_batch(const trie_view& view, const void* addresses, std::uint32_t* out,
                   std::size_t count) noexcept {
    const auto* const in = static_cast<const Address*>(addresses);
    for (std::size_t first = 0; first < count; first += block_lanes) {
        const std::size_t lanes = count - first < block_lanes ? count - first : block_lanes;
        look_up_block<Width, Cursor>(view, in + first, out + first, lanes);
    }
}

template <leaf_width Width>
std::uint32_t look_up_short(const trie_view& view, std::uint64_t high, std::uint64_t) noexcept {
    return find<Width>(view, plain_reads{}, cursor_of(high));
}
template <leaf_width Width>
std::uint32_t look_up_long(const trie_view& view, std::uint64_t high, std::uint64_t low) noexcept {
    return find<Width>(view, plain_reads{}, long_cursor{high, low, 0});
}

template <class Cursor, class Address>
constexpr batch_kernel batch_two = look_up_batch<leaf_width::two_bytes, Cursor, Address>;
template <class Cursor, class Address>
constexpr batch_kernel batch_four = look_up_batch<leaf_width::four_bytes, Cursor, Address>;

constinit const kernel_set all_kernels = {
    .batch = {{batch_two<short_cursor, std::uint64_t>, batch_four<short_cursor, std::uint64_t>},
              {batch_two<long_cursor, address<128>>, batch_four<long_cursor, address<128>>},
              {batch_two<short_cursor, std::uint32_t>, batch_four<short_cursor, std::uint32_t>}},
    .single = {{look_up_short<leaf_width::two_bytes>, look_up_short<leaf_width::four_bytes>},
               {look_up_long<leaf_width::two_bytes>, look_up_long<leaf_width::four_bytes>}},
};

} // namespace
} // namespace fingerpost::neurotrie
