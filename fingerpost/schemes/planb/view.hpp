// The linearized B+-tree as its kernels see it: one array of keys, one of answers, and the kernel signatures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "fingerpost/net/address.hpp"
#include "fingerpost/simd/input_form.hpp"
#include "fingerpost/simd/select.hpp"

namespace fingerpost::planb {

// IPv4 and what is narrower is compared in 32 bits, so that a line holds twice as many keys.
template <class A>
using key_of = std::conditional_t<(A::bits <= 32), std::uint32_t, std::uint64_t>;

// The order of a flat B-tree: calls place(position) for the keys in ascending order, those of `nodes` nodes
// of `Keys` keys. Positions count through the nodes, breadth first.
template <unsigned Keys, class Place>
void for_each_flat_position(std::size_t nodes, Place& place, std::size_t node = 0) {
    if (node >= nodes)
        return;
    for (std::size_t k = 0; k < Keys; ++k) {
        for_each_flat_position<Keys>(nodes, place, node * (Keys + 1) + k + 1);
        place(node * Keys + k);
    }
    for_each_flat_position<Keys>(nodes, place, node * (Keys + 1) + Keys + 1);
}

// An address as a key: moved to the top of the word, padded with zeros where it is narrower.
template <class A>
constexpr key_of<A> key_for(A a) noexcept {
    return static_cast<key_of<A>>(top64(a) >> (64 - 8 * sizeof(key_of<A>)));
}

// Keys of a node that is a cache line of 64 bytes.
template <class Key>
inline constexpr unsigned line_keys = 64 / sizeof(Key);

// Internal levels breadth first, all full, then the leaves, trimmed after the last used node; key k of the
// node at offset p (in keys) leads to the child at offset p * (Keys + 1) + (k + 1) * Keys. A leaf key's
// number among the leaf keys is the number of its interval. `answers` holds a code an interval: u16 or u32.
template <class Key>
struct tree_view {
    const Key* keys = nullptr;
    const void* answers = nullptr;
    std::uint64_t last_interval = 0;
    std::uint64_t nodes = 0; // of the flat B-tree alone
};

// How addresses may lie in memory for keys of a width: key64 and ipv6, or ipv4 alone.
template <class Key>
inline constexpr std::size_t input_forms = sizeof(Key) == 8 ? 2 : 1;
enum class answer_width : std::uint8_t { two_bytes, four_bytes };
inline constexpr std::size_t answer_widths = 2;

// Writes the code minus one of each address's interval: codes are next hop + 1 with 0 for "no route", so what
// comes out is the next hop, or next_hop::none.
template <class Key>
using batch_kernel = void (*)(const tree_view<Key>&, const void* addresses, std::uint32_t* out,
                              std::size_t count) noexcept;
template <class Key>
using single_kernel = std::uint32_t (*)(const tree_view<Key>&, Key key) noexcept;

// Levels above the leaves that are compiled, none included: up to 8 * 9^7 = 38 M, 16 * 17^6 = 386 M and
// 32 * 33^4 = 37 M intervals.
template <unsigned Keys>
inline constexpr unsigned level_counts_of = 0;
template <>
inline constexpr unsigned level_counts_of<8> = 8;
template <>
inline constexpr unsigned level_counts_of<16> = 7;
template <>
inline constexpr unsigned level_counts_of<32> = 5;

template <class Key, unsigned Keys>
struct tree_kernels {
    static constexpr unsigned level_counts = level_counts_of<Keys>;
    // Every stored key is to be exclusive-ored with this, for instruction sets that compare only signed
    // words.
    Key key_bias;
    batch_kernel<Key> batch[input_forms<Key>][answer_widths][level_counts];
    single_kernel<Key> single[answer_widths][level_counts];
    // The node searched by a plain loop that is left to the compiler, one address at a time.
    single_kernel<Key> plain_loop[answer_widths][level_counts];
    // The flat B-tree: keys of all nodes breadth first, each once, and a code beside each; child c of node q
    // is node q * (Keys + 1) + c + 1. A lookup ends at a node that has the key itself.
    single_kernel<Key> flat[answer_widths];
};

// Leaf keys are the inclusive ends of the intervals, the answer is the first end not below the address; or,
// as in the paper, they are the starts, the answer is the last start not above it.
template <class Key>
struct kernels_over {
    tree_kernels<Key, line_keys<Key>> ends;
    tree_kernels<Key, line_keys<Key>> starts;
    tree_kernels<Key, 2 * line_keys<Key>> wide; // ends, nodes of 128 bytes
};
struct kernel_set {
    kernels_over<std::uint32_t> of_32;
    kernels_over<std::uint64_t> of_64;

    template <class Key>
    constexpr const kernels_over<Key>& over() const noexcept {
        if constexpr (sizeof(Key) == 4)
            return of_32;
        else
            return of_64;
    }
};

// The kernels of an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// One in kernels.cpp for each instruction set that was built.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::planb
