// Body of the Poptrie kernels, compiled once for each instruction set.
//
// A batch advances in rounds: all unfinished lookups of a block read their node and descend one level. In a
// round, all lookups use address bits at the same position. Steps do not branch on data: each lookup is
// written to the end of a list, and the end advances only if the lookup continues.
//
// Let v be the six bits of a step. vector << (63 - v) has bit v at the top, which is set if there is a child.
// The number of set bits, minus one for v itself, is the child's place. Shifts take their count modulo 64, so
// addresses are stored complemented: the complement of v is 63 - v.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "fingerpost/base/bits.hpp"
#include "fingerpost/schemes/poptrie/view.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/vec.hpp"
#if FINGERPOST_KERNELS_FOR_AVX512
#include "fingerpost/schemes/poptrie/kernels_avx512.hpp"
#endif

namespace fingerpost::poptrie {
namespace {

using namespace simd;

// Number of lookups with overlapping loads. docs/why/experiments/lookups.md has the results for other
// numbers.
constexpr unsigned block_lanes = 128;

template <input_form Form>
FINGERPOST_INLINE std::uint64_t high_of(const void* addresses, std::size_t i) {
    if constexpr (Form == input_form::key64)
        return static_cast<const std::uint64_t*>(addresses)[i];
    else if constexpr (Form == input_form::ipv6)
        return static_cast<const std::uint64_t*>(addresses)[2 * i + high_word];
    else
        return std::uint64_t{static_cast<const std::uint32_t*>(addresses)[i]} << 32;
}
template <input_form Form>
FINGERPOST_INLINE std::uint64_t low_of(const void* addresses, std::size_t i) {
    if constexpr (Form == input_form::ipv6)
        return static_cast<const std::uint64_t*>(addresses)[2 * i + 1 - high_word];
    else
        return 0;
}

template <input_form Form>
FINGERPOST_INLINE u128 whole_of(const void* addresses, std::size_t i) {
    return u128{high_of<Form>(addresses, i)} << 64 | low_of<Form>(addresses, i);
}

FINGERPOST_INLINE std::uint32_t direct_entry(const trie_view& view, std::uint64_t high) {
    return view.direct[(high >> 1) >> (63 - view.direct_bits)];
}

// The lanes of a block. `going` lists the lanes that take the next step, and `entered` those that reached a
// node.
struct lanes {
    std::uint64_t turned[block_lanes]; // the first 64 bits, complemented
    std::uint32_t at[block_lanes];     // node number
    std::uint8_t bits[block_lanes];    // bits used by the last step, complemented
    std::uint8_t entered[block_lanes];
    std::uint8_t going[block_lanes];
    static_assert(block_lanes <= 256);
};

// Takes one step for the `count` lanes in `from`, and returns the number of those that continue.
// bits_of(lane) returns the six bits, complemented.
template <class Node, class Bits>
FINGERPOST_INLINE std::size_t step(const trie_view& view, lanes& block, const std::uint8_t* from,
                                   std::size_t count, Bits bits_of) {
    const Node* const nodes = static_cast<const Node*>(view.nodes);
    std::size_t still = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint8_t lane = from[i];
        const std::uint32_t node_number = block.at[lane];
        const std::uint64_t turned = bits_of(lane);
        const std::uint64_t below = up_to(nodes[node_number].vector, turned);
        const std::uint32_t child = nodes[node_number].base1 + population(below) - 1;
        const bool goes_on = (below >> 63) != 0;
        block.at[lane] = goes_on ? child : node_number;
        block.bits[lane] = static_cast<std::uint8_t>(turned);
        block.going[still] = lane;
        still += goes_on ? 1 : 0;
    }
    return still;
}

template <class Node, leaf_width Width, input_form Form>
FINGERPOST_INLINE void look_up_block(const trie_view& view, const void* addresses, std::size_t first,
                                     std::uint32_t* out, std::size_t count) {
    lanes block;
    std::size_t entered = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t high = high_of<Form>(addresses, first + i);
        const std::uint32_t entry = direct_entry(view, high);
        block.turned[i] = ~high;
        block.at[i] = entry;
        out[i] = (entry & ~direct_leaf) - 1;
        block.entered[entered] = static_cast<std::uint8_t>(i);
        entered += (entry & direct_leaf) == 0 ? 1 : 0;
    }
    std::size_t left = entered;
    const std::uint8_t* from = block.entered;
    unsigned position = view.direct_bits;
    for (; left > 0 && position <= 64 - stride; position += stride, from = block.going) {
        const unsigned shift = 64 - stride - position;
        left = step<Node>(view, block, from, left,
                          [&](std::size_t lane) FINGERPOST_LAMBDA { return block.turned[lane] >> shift; });
    }
    // The bits are in both words or in the second one, padded with zeros after the last bit. Few lookups get
    // here.
    for (; left > 0; position += stride, from = block.going)
        left = step<Node>(view, block, from, left, [&](std::size_t lane) FINGERPOST_LAMBDA {
            const u128 whole =
                u128{high_of<Form>(addresses, first + lane)} << 64 | low_of<Form>(addresses, first + lane);
            return ~static_cast<std::uint64_t>((whole << position) >> (128 - stride));
        });
    for (std::size_t i = 0; i < entered; ++i) {
        const std::uint8_t lane = block.entered[i];
        const Node& at = static_cast<const Node*>(view.nodes)[block.at[lane]];
        out[lane] = read_leaf<Width>(view, plain_reads{}, at, block.bits[lane]);
    }
}

template <class Node, leaf_width Width, input_form Form>
void look_up_batch(const trie_view& view, const void* addresses, std::uint32_t* out,
                   std::size_t count) noexcept {
    std::size_t first = 0;
#if FINGERPOST_KERNELS_FOR_AVX512
    first = wide::cover_in_groups(count, [&](auto groups, std::size_t from) FINGERPOST_LAMBDA {
        wide_lookup<Node, Width, Form, groups.value>::block(
            view, addresses, from, out + from,
            [&](std::size_t lane, std::uint32_t at, unsigned position) FINGERPOST_LAMBDA {
                const u128 whole = whole_of<Form>(addresses, from + lane);
                out[from + lane] =
                    find_below<Node, Width>(view, plain_reads{}, at, whole << position, position);
            });
    });
#endif
    for (; first < count; first += block_lanes) {
        const std::size_t lanes_here = count - first < block_lanes ? count - first : block_lanes;
        look_up_block<Node, Width, Form>(view, addresses, first, out + first, lanes_here);
    }
}

template <class Node, leaf_width Width>
std::uint32_t look_up_single(const trie_view& view, std::uint64_t high, std::uint64_t low) noexcept {
    return find<Node, Width>(view, plain_reads{}, u128{high} << 64 | low);
}

template <class Node>
constexpr node_kernels make_kernels() {
    constexpr leaf_width two = leaf_width::two_bytes, four = leaf_width::four_bytes;
    return {
        .batch = {{look_up_batch<Node, two, input_form::key64>, look_up_batch<Node, four, input_form::key64>},
                  {look_up_batch<Node, two, input_form::ipv6>, look_up_batch<Node, four, input_form::ipv6>},
                  {look_up_batch<Node, two, input_form::ipv4>, look_up_batch<Node, four, input_form::ipv4>}},
        .single = {look_up_single<Node, two>, look_up_single<Node, four>}};
}

constinit const kernel_set all_kernels = {.runs = make_kernels<node>(), .basic = make_kernels<basic_node>()};

} // namespace
} // namespace fingerpost::poptrie
