// A tree bitmap as the kernels see it, and the types of the kernels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/fib/parts/multibit/slot_bitmap.hpp"
#include "fingerpost/net/next_hop.hpp"
#include "fingerpost/simd/input_form.hpp"
#include "fingerpost/simd/select.hpp"

namespace fingerpost::tree_bitmap {

// `internal` has a bit, in heap order, for each route that is less than a stride longer than the node.
// `external` has a bit for each child, whose prefix is a stride longer. A node without longer routes has no
// children: it is an end node, and its external bits are routes.
template <unsigned Stride>
struct node_bitmaps {
    slot_bitmap<1u << Stride> internal;
    slot_bitmap<1u << Stride> external;
};
template <>
struct node_bitmaps<3> {
    slot_bitmap<8> internal;
    slot_bitmap<8> external;
    std::uint16_t unused = 0; // explicit, because files must not contain padding
};
template <unsigned Stride>
struct node : node_bitmaps<Stride> {
    using node_bitmaps<Stride>::internal;
    using node_bitmaps<Stride>::external;
    std::uint32_t children = 0; // number of the first child; children are in bit order
    // number of the first next hop, in the order of internal bits and then, in an end node, external bits
    std::uint32_t results = 0;

    // Bit 0 is unused.
    FINGERPOST_INLINE constexpr bool is_end() const noexcept { return internal.test(0); }
    // The place of the next hop, counted from `results`.
    FINGERPOST_INLINE constexpr unsigned internal_place(unsigned number) const noexcept {
        return internal.rank_before(number) - (is_end() ? 1u : 0u);
    }
    FINGERPOST_INLINE constexpr unsigned external_place(unsigned slot) const noexcept {
        return internal.count() - (is_end() ? 1u : 0u) + external.rank_before(slot);
    }
};
static_assert(sizeof(node<3>) == 12 && sizeof(node<4>) == 12 && sizeof(node<5>) == 16 &&
              sizeof(node<6>) == 24 && sizeof(node<8>) == 72);

// Split nodes, with strides of 8. During the descent, a lookup reads one segment of a node, which has 1/4 of
// its external bitmap. All four fill one cache line. The internal bitmap is stored elsewhere and is read at
// the end.
struct segment {
    static constexpr std::uint32_t end_bit = 0x80000000;

    std::uint64_t external = 0;
    std::uint32_t below = 0;    // child of the first bit or, in an end node, its result
    std::uint32_t internal = 0; // number of the internal node, equal in all four segments; 0 without routes

    FINGERPOST_INLINE constexpr bool is_end() const noexcept { return (internal & end_bit) != 0; }
    FINGERPOST_INLINE constexpr std::uint32_t inner() const noexcept { return internal & ~end_bit; }
};
struct alignas(64) search_node {
    static constexpr unsigned stride = 8;
    segment quarters[4];
};
static_assert(sizeof(segment) == 16 && sizeof(search_node) == 64);

struct internal_node {
    slot_bitmap<256> bits; // internal bits in heap order
    std::uint32_t results = 0;
    std::uint32_t unused = 0; // explicit padding
};
static_assert(sizeof(internal_node) == 40);

inline constexpr std::uint32_t no_node = 0xffffffff;

// The content for the first bits of an address.
struct initial_entry {
    std::uint32_t node = no_node;
    next_hop hop = next_hop::none; // next hop of the longest route that is shorter than these bits
};

struct trie_view {
    const initial_entry* initial = nullptr; // 2^initial_bits entries
    unsigned initial_bits = 0;              // at most 63
    const void* nodes = nullptr;
    const next_hop* results = nullptr;
    const internal_node* internals = nullptr; // internal nodes of split nodes; the first one is empty
};

inline constexpr std::size_t input_forms = 3;

using batch_kernel = void (*)(const trie_view&, const void* addresses, next_hop* out,
                              std::size_t count) noexcept;
// The address is left-aligned in two words.
using single_kernel = next_hop (*)(const trie_view&, std::uint64_t high, std::uint64_t low) noexcept;

struct stride_kernels {
    batch_kernel batch[input_forms];
    single_kernel single[2]; // one for addresses of up to 64 bits, one for longer ones
};

struct kernel_set {
    stride_kernels three;
    stride_kernels four;
    stride_kernels five;
    stride_kernels six;
    stride_kernels eight;
    stride_kernels split;
};

// Returns the kernels for an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// Defined in kernels.cpp for each instruction set in the build.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::tree_bitmap
