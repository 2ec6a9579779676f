// The trie as the kernels see it, and the types of the kernels.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "fingerpost/fib/parts/multibit/bit_cursor.hpp"
#include "fingerpost/fib/parts/multibit/slot_bitmap.hpp"
#include "fingerpost/net/next_hop.hpp"
#include "fingerpost/simd/select.hpp"

namespace fingerpost::bart {

inline constexpr unsigned stride = 8;
using bitset = slot_bitmap<256>;

// The number of bits before each word of a bitset, one byte each (at most 192).
constexpr std::uint32_t ranks_of(const bitset& set) noexcept {
    std::uint32_t before = 0, ranks = 0;
    for (unsigned w = 1; w < bitset::words; ++w) {
        before += static_cast<std::uint32_t>(std::popcount(set.bits[w - 1]));
        ranks |= before << (8 * w);
    }
    return ranks;
}

// `prefixes` has a bit, in heap order, for each route that is 0 to 7 bits longer than the node; `children`
// has a bit for each octet with a child. Besides the bits, a step down reads one 64-bit word.
struct node {
    static constexpr std::uint32_t prefix_bit = 0x80000000;

    bitset prefixes;
    bitset children;
    std::uint32_t first = 0; // number of the first child; the top bit is set if there are prefixes
    std::uint32_t ranks = 0; // ranks of the child bits
    std::uint32_t hops = 0;  // number of the first next hop
    std::uint32_t prefix_ranks = 0;

    FINGERPOST_INLINE constexpr std::uint32_t first_child() const noexcept { return first & ~prefix_bit; }
    FINGERPOST_INLINE constexpr bool has_prefixes() const noexcept { return (first & prefix_bit) != 0; }
    FINGERPOST_INLINE constexpr std::uint32_t child_place(unsigned slot) const noexcept {
        return first_child() + rank(children, ranks, slot);
    }
    FINGERPOST_INLINE constexpr std::uint32_t hop_place(unsigned bit) const noexcept {
        return hops + rank(prefixes, prefix_ranks, bit);
    }
    // Must be called after each change of the bitsets.
    constexpr void recount() noexcept {
        ranks = ranks_of(children);
        prefix_ranks = ranks_of(prefixes);
        first = first_child() | (prefixes.any() ? prefix_bit : 0);
    }
    friend constexpr bool operator==(const node&, const node&) noexcept = default;

  private:
    FINGERPOST_INLINE static constexpr std::uint32_t rank(const bitset& set, std::uint32_t before,
                                                          unsigned bit) noexcept {
        const std::uint64_t below = set.bits[bit / 64] & ((std::uint64_t{1} << (bit % 64)) - 1);
        return (before >> (8 * (bit / 64)) & 0xff) + static_cast<std::uint32_t>(std::popcount(below));
    }
};
static_assert(sizeof(node) == 80);

// A child is a node, a leaf (the only route below its octet) or a fringe (the only route, which ends with the
// octet and so needs no comparison).
struct child {
    static constexpr std::uint32_t leaf_bit = 0x80000000;
    static constexpr std::uint32_t fringe = 0xffffffff;

    std::uint32_t to = fringe;
    next_hop hop = next_hop::none; // next hop of a leaf or a fringe

    FINGERPOST_INLINE constexpr bool is_node() const noexcept { return (to & leaf_bit) == 0; }
    FINGERPOST_INLINE constexpr bool is_fringe() const noexcept { return to == fringe; }
    FINGERPOST_INLINE constexpr std::uint32_t leaf() const noexcept { return to & ~leaf_bit; }
};
static_assert(sizeof(child) == 8);

// The prefix of a leaf, left-aligned, longer than 8 bits. A long_leaf is for addresses of more than 64 bits.
struct short_leaf {
    std::uint64_t high = 0;
    std::uint32_t length = 0;
    std::uint32_t unused = 0; // explicit, because files must not contain padding

    FINGERPOST_INLINE constexpr bool contains(std::uint64_t a, std::uint64_t) const noexcept {
        return (a ^ high) >> (64 - length) == 0;
    }
};
struct long_leaf {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    std::uint32_t length = 0;
    std::uint32_t unused = 0;

    FINGERPOST_INLINE constexpr bool contains(std::uint64_t h, std::uint64_t l) const noexcept {
        if (length <= 64)
            return (h ^ high) >> (64 - length) == 0;
        return h == high && (l ^ low) >> (128 - length) == 0;
    }
};
static_assert(sizeof(short_leaf) == 16 && sizeof(long_leaf) == 24);

struct trie_view {
    const node* nodes = nullptr;
    const child* children = nullptr;
    const void* leaves = nullptr; // short_leaf or long_leaf
    const next_hop* hops = nullptr;
    std::uint32_t root = 0;
};

inline constexpr std::size_t input_forms = 3;

using batch_kernel = void (*)(const trie_view&, const void* addresses, next_hop* out,
                              std::size_t count) noexcept;
// The address is left-aligned in two words.
using single_kernel = next_hop (*)(const trie_view&, std::uint64_t high, std::uint64_t low) noexcept;

struct kernel_set {
    batch_kernel batch[input_forms];
    single_kernel single[2]; // one for addresses of up to 64 bits, one for longer ones
};

// Returns the kernels for an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// Defined in kernels.cpp for each instruction set in the build.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::bart
