// The trie as its kernels see it, and the kernel signatures.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/fib/parts/bit_cursor.hpp"
#include "fingerpost/fib/parts/slot_bitmap.hpp"
#include "fingerpost/net/next_hop.hpp"
#include "fingerpost/simd/select.hpp"

namespace fingerpost::bart {

inline constexpr unsigned stride = 8;
using bitset = slot_bitmap<256>;

// `prefixes` has a bit for each route of 0 to 7 bits more than the node, in base-index order; `children` one
// for each octet with a child.
struct node {
    bitset prefixes;
    bitset children;
    std::uint32_t hops = 0;  // the next hop of the first route
    std::uint32_t first = 0; // the first child
};
static_assert(sizeof(node) == 72);

// A child is a node, a leaf (a route that is alone below its octet), or a fringe (a route that is alone and
// ends with the octet, so that there is nothing to compare).
struct child {
    static constexpr std::uint32_t leaf_bit = 0x80000000;
    static constexpr std::uint32_t fringe = 0xffffffff;

    std::uint32_t to = fringe;
    next_hop hop = next_hop::none; // of a leaf or a fringe

    FINGERPOST_INLINE constexpr bool is_node() const noexcept { return (to & leaf_bit) == 0; }
    FINGERPOST_INLINE constexpr bool is_fringe() const noexcept { return to == fringe; }
    FINGERPOST_INLINE constexpr std::uint32_t leaf() const noexcept { return to & ~leaf_bit; }
};
static_assert(sizeof(child) == 8);

// The prefix of a leaf, left-aligned, for addresses of up to 64 bits and of more. It is longer than 8 bits.
struct short_leaf {
    std::uint64_t high = 0;
    std::uint32_t length = 0;

    FINGERPOST_INLINE constexpr bool contains(std::uint64_t a, std::uint64_t) const noexcept {
        return (a ^ high) >> (64 - length) == 0;
    }
};
struct long_leaf {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    std::uint32_t length = 0;

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
    const void* leaves = nullptr; // short or long ones
    const next_hop* hops = nullptr;
    std::uint32_t root = 0;
};

inline constexpr std::size_t input_forms = 3;

using batch_kernel = void (*)(const trie_view&, const void* addresses, next_hop* out,
                              std::size_t count) noexcept;
// The address in two words, left-aligned.
using single_kernel = next_hop (*)(const trie_view&, std::uint64_t high, std::uint64_t low) noexcept;

struct kernel_set {
    batch_kernel batch[input_forms];
    single_kernel single[2]; // for up to 64 bits, and for more
};

// The kernels of an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// One in kernels.cpp for each instruction set that was built.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::bart
