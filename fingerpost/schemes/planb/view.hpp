// The linearized B+-tree as its kernels see it: one array of keys, one of answers, and the types of the
// kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "fingerpost/net/address.hpp"
#include "fingerpost/simd/input_form.hpp"
#include "fingerpost/simd/select.hpp"

namespace fingerpost::planb {

// Widths up to 32 bits are compared in 32 bits, so that a line holds twice as many keys.
template <class A>
using key_of = std::conditional_t<(A::bits <= 32), std::uint32_t, std::uint64_t>;

// The order of a flat B-tree: calls place(position) for the keys of `nodes` nodes of `Keys` keys, in
// ascending order of the keys. Positions count through the nodes, breadth first.
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

// An address as a key: left aligned in the word, padded with zeros if it is narrower.
template <class A>
constexpr key_of<A> key_for(A a) noexcept {
    return static_cast<key_of<A>>(top64(a) >> (64 - 8 * sizeof(key_of<A>)));
}

// The keys of a node that is a cache line of 64 bytes.
template <class Key>
inline constexpr unsigned line_keys = 64 / sizeof(Key);

// Inner levels breadth first, all full, then the leaves, trimmed after the last used node. Key k of the node
// at offset p (in keys) leads to the child at offset p * (Keys + 1) + (k + 1) * Keys. The number of a leaf
// key among the leaf keys is the number of its interval. `answers` holds one code for each interval.
enum class answer_width : std::uint8_t { two_bytes, four_bytes };
template <class Key>
struct tree_view {
    const Key* keys = nullptr;
    const void* answers = nullptr;
    std::uint64_t leaf_offset = 0; // of the first leaf, in keys: (Keys + 1)^levels - 1
    std::uint64_t last_interval = 0;
    std::uint64_t nodes = 0; // only for the flat B-tree
    unsigned levels = 0;     // above the leaves
    answer_width width = answer_width::two_bytes;
};

// The forms of addresses in memory for a key width: key64 and ipv6, or ipv4 alone.
template <class Key>
inline constexpr std::size_t input_forms = sizeof(Key) == 8 ? 2 : 1;

// Writes the code minus one of each address's interval. Codes are next hop + 1, and 0 is "no route", so the
// result is the next hop, or next_hop::none.
template <class Key>
using batch_kernel = void (*)(const tree_view<Key>&, const void* addresses, std::uint32_t* out,
                              std::size_t count) noexcept;
template <class Key>
using single_kernel = std::uint32_t (*)(const tree_view<Key>&, Key key) noexcept;

// The most levels above the leaves: up to 8 * 9^7 = 38 M, 16 * 17^6 = 386 M and 32 * 33^4 = 37 M intervals.
template <unsigned Keys>
inline constexpr unsigned most_levels = Keys == 8    ? 7
                                        : Keys == 16 ? 6
                                                     : 4;
// The levels of full tables of the Internet: up to 472 k, 1.3 M and 1.2 M intervals. Batches unroll these;
// other trees are walked in a loop, which takes up to 7 % longer and 1/8 of the time to compile.
template <unsigned Keys>
inline constexpr unsigned usual_levels = Keys == 8    ? 5
                                         : Keys == 16 ? 4
                                                      : 3;

// The kernels of trees with one number of levels.
template <class Key>
struct walk_kernels {
    batch_kernel<Key> batch[input_forms<Key>];
    single_kernel<Key> single;
    // The node is searched by a plain loop that is left to the compiler, one address at a time.
    single_kernel<Key> plain_loop;
};
template <class Key>
struct tree_kernels {
    // Every stored key must be XORed with this, for instruction sets that compare only signed words.
    Key key_bias;
    walk_kernels<Key> walks[most_levels<8> + 1]; // by levels
    // The flat B-tree: the keys of all nodes breadth first, each once, with a code beside each. Child c of
    // node q is node q * (Keys + 1) + c + 1. A lookup ends at a node that contains the key itself.
    single_kernel<Key> flat;
};

// Leaf keys are the inclusive ends of the intervals, and the answer is the first end not below the address;
// or they are the starts, as in the paper, and the answer is the last start not above it.
template <class Key>
struct kernels_over {
    tree_kernels<Key> ends;
    tree_kernels<Key> starts;
    tree_kernels<Key> wide; // ends, nodes of 128 bytes
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

// kernels.cpp defines one for each instruction set that was built.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::planb
