// The trie as the kernels see it: three arrays, the two kinds of nodes, and the types of the kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "fingerpost/base/bits.hpp"
#include "fingerpost/fib/plain_reads.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/input_form.hpp"
#include "fingerpost/simd/select.hpp"

namespace fingerpost::poptrie {

inline constexpr unsigned stride = 6;

// Bit v of `vector` is set if slot v has a child. Bit v of `leafvec` is set if a run of equal leaves starts
// at slot v; a run continues across slots with children. A step reads 16 adjacent bytes, which a vector loads
// at once.
struct node {
    static constexpr bool has_runs = true;

    std::uint64_t leafvec;
    std::uint64_t vector;
    std::uint32_t base0; // number of the first leaf
    std::uint32_t base1; // number of the first child
};
static_assert(sizeof(node) == 24);

// A node without leafvec has one leaf for each slot without a child.
struct basic_node {
    static constexpr bool has_runs = false;

    std::uint64_t vector;
    std::uint32_t base0;
    std::uint32_t base1;
};
static_assert(sizeof(basic_node) == 16);

// Direct entries with this bit contain a code in the other bits. Other entries are node numbers.
inline constexpr std::uint32_t direct_leaf = std::uint32_t{1} << 31;

struct trie_view {
    const std::uint32_t* direct = nullptr;
    const void* nodes = nullptr;           // nodes of either kind
    const std::uint16_t* leaves = nullptr; // a leaf is one or two of these
    unsigned direct_bits = 0;
};

enum class leaf_width : std::uint8_t { two_bytes, four_bytes };
inline constexpr std::size_t leaf_widths = 2;
inline constexpr std::size_t input_forms = 3;

// Bits 0 to v of a bitmap, with bit v moved to the top. The last six bits of `turned` are the complement of
// v, because shifts take their count modulo 64.
FINGERPOST_INLINE constexpr std::uint64_t up_to(std::uint64_t bits, std::uint64_t turned) {
    return bits << (turned & 63);
}
// The bitmap of the starts of leaf runs.
template <class Node>
FINGERPOST_INLINE constexpr std::uint64_t runs_of(const Node& in) {
    if constexpr (Node::has_runs)
        return in.leafvec;
    else
        return ~in.vector;
}

// Returns the code minus one of a node's leaf for the bits in `turned`.
template <leaf_width Width, class Node, class Read>
FINGERPOST_INLINE std::uint32_t read_leaf(const trie_view& in, Read&& read, const Node& at,
                                          std::uint64_t turned) {
    const std::size_t number = simd::population(up_to(runs_of(at), turned)) - 1u;
    if constexpr (Width == leaf_width::two_bytes)
        return read(in.leaves, at.base0 + number) - 1u;
    std::uint32_t code;
    std::memcpy(&code, read(in.leaves, at.base0 + 2 * number, 2), sizeof code);
    return code - 1;
}
// Returns the code minus one for an address that has reached node `at` with the bits before `position`;
// `left` has the remaining bits.
template <class Node, leaf_width Width, class Read>
FINGERPOST_INLINE std::uint32_t find_below(const trie_view& in, Read&& read, std::uint64_t at, u128 left,
                                           unsigned position) {
    for (;; left <<= stride, position += stride) {
        const Node& n = read(static_cast<const Node*>(in.nodes), at);
        const std::uint64_t turned = ~static_cast<std::uint64_t>(left >> (128 - stride));
        const std::uint64_t children = up_to(n.vector, turned);
        const bool goes_on = (children >> 63) != 0;
        read.tell([&](auto& step) {
            constexpr std::uint32_t leaf_bytes = Width == leaf_width::two_bytes ? 2 : 4;
            step.looks_at(position, stride);
            if constexpr (Node::has_runs)
                step.tests_bitmaps(~turned & 63, {n.vector, n.leafvec});
            else
                step.tests_bitmaps(~turned & 63, {n.vector});
            if (goes_on)
                step.counted = {0, 1, n.base1, simd::population(children) - 1, sizeof(Node)};
            else if (Node::has_runs) // blocks of wide leaves start at even places
                step.counted = {1, 1, n.base0 / (leaf_bytes / 2),
                                simd::population(up_to(runs_of(n), turned)) - 1, leaf_bytes};
        });
        if (!goes_on)
            return read_leaf<Width>(in, read, n, turned);
        at = n.base1 + simd::population(children) - 1;
    }
}
// Looks up an address, which is left-aligned in `key`.
template <class Node, leaf_width Width, class Read>
FINGERPOST_INLINE std::uint32_t find(const trie_view& in, Read&& read, u128 key) {
    const auto high = static_cast<std::uint64_t>(key >> 64);
    const std::uint64_t slot = (high >> 1) >> (63 - in.direct_bits);
    const std::uint32_t entry = read(in.direct, slot);
    read.tell([&](auto& step) { step.looks_at(0, in.direct_bits); });
    if ((entry & direct_leaf) != 0)
        return (entry & ~direct_leaf) - 1;
    return find_below<Node, Width>(in, read, entry, key << in.direct_bits, in.direct_bits);
}

// Both write the code minus one. Code 0 is "no route"; other codes are the next hop plus one. A key is the
// address, left-aligned in two words, of which the second is zero for widths up to 64.
using batch_kernel = void (*)(const trie_view&, const void* addresses, std::uint32_t* out,
                              std::size_t count) noexcept;
using single_kernel = std::uint32_t (*)(const trie_view&, std::uint64_t high, std::uint64_t low) noexcept;

struct node_kernels {
    batch_kernel batch[input_forms][leaf_widths];
    single_kernel single[leaf_widths];
};
struct kernel_set {
    node_kernels runs;  // kernels for `node`
    node_kernels basic; // kernels for `basic_node`
};

template <class Node>
constexpr const node_kernels& kernels_for_nodes(const kernel_set& set) noexcept {
    return Node::has_runs ? set.runs : set.basic;
}

// Returns the kernels for an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// Defined in kernels.cpp for each instruction set in the build.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::poptrie
