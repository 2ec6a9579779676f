// The nodes of a multiway range tree, and their view for kernels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "fingerpost/fib/parts/lengths/wide_address.hpp"
#include "fingerpost/simd/select.hpp"
#include "fingerpost/simd/stored_key.hpp"

namespace fingerpost::multiway_range_tree {

// A word is a route stored at an edge: the length plus one in the bits above the code, or 0 without a route.
// Of routes that contain the same address, the longest has the largest word.
inline constexpr unsigned code_bits = 24;
inline constexpr std::uint32_t code_mask = (std::uint32_t{1} << code_bits) - 1;
constexpr std::uint32_t word_of(unsigned length, std::uint32_t code) noexcept {
    return (length + 1) << code_bits | code;
}
// `word` must not be 0.
constexpr unsigned length_of(std::uint32_t word) noexcept {
    return (word >> code_bits) - 1;
}

inline constexpr std::uint32_t nil = 0xffffffff;

// The second halves of a node's keys, if there are any.
template <class W>
inline constexpr bool has_second = W::bits == 128;
template <bool There>
struct second_halves {
    std::uint64_t second[8];
};
template <>
struct second_halves<false> {};

// A cache line of keys, or of first halves, and an edge for each key. Edge i leads to the addresses after key
// i - 1, up to and including key i. Keys ascend; those after the last edge are all ones. Stored keys are
// XORed with simd::bias_of.
//
// `below` is the child of an edge, or nil if there is no edge. In a leaf it is the number of routes that end
// at the edge's key or start right after it.
template <class W>
struct alignas(64) node : second_halves<has_second<W>> {
    static constexpr unsigned edges = 64 / sizeof(column_key<W>);

    column_key<W> key[edges];
    std::uint32_t below[edges];
    std::uint32_t word[edges];
};
static_assert(sizeof(node<address<32>>) == 192 && sizeof(node<address<64>>) == 128 &&
              sizeof(node<address<128>>) == 192);

// `height` is the number of nodes that a lookup reads. `word` is the route that contains every address.
template <class W>
struct tree_view {
    const node<W>* nodes = nullptr;
    std::uint32_t root = 0;
    std::uint32_t word = 0;
    unsigned height = 0;
};

// These write the code minus one of each address, which is the id of a next hop or of next_hop::none.
template <class W>
struct tree_kernels {
    void (*batch)(const tree_view<W>&, const W* addresses, std::uint32_t* out, std::size_t count) noexcept;
    std::uint32_t (*single)(const tree_view<W>&, W a) noexcept;
};
using kernel_set = kernels_by_width<tree_kernels>;

// Returns the kernels for an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// Defined in kernels.cpp for each instruction set in the build.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::multiway_range_tree
