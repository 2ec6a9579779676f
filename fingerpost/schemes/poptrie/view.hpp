// The trie as its kernels see it: three arrays, the two kinds of nodes, and the types of the kernels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/simd/input_form.hpp"
#include "fingerpost/simd/select.hpp"

namespace fingerpost::poptrie {

inline constexpr unsigned stride = 6;

// Bit v of `vector`: slot v leads to a child. Bit v of `leafvec`: a run of equal leaves begins at slot v; a
// run continues across slots that lead to children. A step reads 16 neighbouring bytes, which a vector loads
// at once.
struct node {
    static constexpr bool has_runs = true;

    std::uint64_t leafvec;
    std::uint64_t vector;
    std::uint32_t base0; // the first leaf
    std::uint32_t base1; // the first child
};
static_assert(sizeof(node) == 24);

// Without leafvec: one leaf for each slot without a child.
struct basic_node {
    static constexpr bool has_runs = false;

    std::uint64_t vector;
    std::uint32_t base0;
    std::uint32_t base1;
};
static_assert(sizeof(basic_node) == 16);

// An entry of the direct table with this bit is a leaf: the other bits are its code. Otherwise it is the
// number of a node.
inline constexpr std::uint32_t direct_leaf = std::uint32_t{1} << 31;

struct trie_view {
    const std::uint32_t* direct = nullptr;
    const void* nodes = nullptr;           // of either kind
    const std::uint16_t* leaves = nullptr; // a leaf is one of these, or two
    unsigned direct_bits = 0;
};

enum class leaf_width : std::uint8_t { two_bytes, four_bytes };
inline constexpr std::size_t leaf_widths = 2;
inline constexpr std::size_t input_forms = 3;

// Both write the code minus one. Codes are next hop + 1, and 0 is "no route". A key is the address left
// aligned in two words; the second one is zero for widths up to 64.
using batch_kernel = void (*)(const trie_view&, const void* addresses, std::uint32_t* out,
                              std::size_t count) noexcept;
using single_kernel = std::uint32_t (*)(const trie_view&, std::uint64_t high, std::uint64_t low) noexcept;

struct node_kernels {
    batch_kernel batch[input_forms][leaf_widths];
    single_kernel single[leaf_widths];
};
struct kernel_set {
    node_kernels runs;  // of node
    node_kernels basic; // of basic_node
};

template <class Node>
constexpr const node_kernels& kernels_for_nodes(const kernel_set& all) noexcept {
    return Node::has_runs ? all.runs : all.basic;
}

// The kernels of an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// kernels.cpp defines one for each instruction set that was built.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::poptrie
