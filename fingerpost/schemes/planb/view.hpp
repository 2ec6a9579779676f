// The linearized B+-tree as the kernels see it: an array of keys, an array of answers, and the types of the
// kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "fingerpost/fib/plain_reads.hpp"
#include "fingerpost/net/address.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/input_form.hpp"
#include "fingerpost/simd/select.hpp"
#include "fingerpost/simd/stored_key.hpp"

namespace fingerpost::planb {

// Widths up to 32 bits have 32-bit keys, so that a line holds twice as many.
template <class A>
using key_of = std::conditional_t<(A::bits <= 32), std::uint32_t, std::uint64_t>;

// The order of a flat B-tree. Calls place(position) for the keys of `nodes` nodes of `Keys` keys, in
// ascending order of the keys. Positions are numbered through the nodes in breadth-first order.
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

// An address as a key: left-aligned, and padded with zeros if it is narrower.
template <class A>
constexpr key_of<A> key_for(A a) noexcept {
    return static_cast<key_of<A>>(top64(a) >> (64 - 8 * sizeof(key_of<A>)));
}

// Number of keys in a node of one 64-byte cache line.
template <class Key>
inline constexpr unsigned line_keys = 64 / sizeof(Key);

// Inner levels in breadth-first order, all full, then the leaves, trimmed after the last used node. Key k of
// the node at offset p (in keys) leads to the child at offset p * (Keys + 1) + (k + 1) * Keys. The number of
// a leaf key among all leaf keys is the number of its interval. `answers` has one code for each interval.
enum class answer_width : std::uint8_t { two_bytes, four_bytes };
template <class Key>
struct tree_view {
    const Key* keys = nullptr;
    const void* answers = nullptr;
    std::uint64_t leaf_offset = 0; // first leaf, in keys: (Keys + 1)^levels - 1
    std::uint64_t last_interval = 0;
    std::uint64_t nodes = 0; // number of nodes, only for the flat B-tree
    unsigned levels = 0;     // number of levels above the leaves
    answer_width width = answer_width::two_bytes;
};

// A key as a number of min(A::bits, 64) bits.
template <class A>
constexpr std::uint64_t number_of(key_of<A> key) noexcept {
    return std::uint64_t{key} >> (8 * sizeof(key) - (A::bits < 64 ? A::bits : 64));
}

// Counts the keys of the node at `at` that are below the sought key or, for start keys, not above it.
template <class A, unsigned Keys, bool Starts, class Read>
FINGERPOST_INLINE std::uint64_t find_in_node(const tree_view<key_of<A>>& in, Read&& read, std::uint64_t at,
                                             key_of<A> sought) {
    using key = key_of<A>;
    using number = std::make_signed_t<key>;
    // Nodes begin at cache lines, so a GPU loads several keys together.
    const key* const node = std::assume_aligned<64>(read(in.keys, at, Keys));
    const auto x = static_cast<number>(simd::stored_key(sought));
    std::uint64_t rank = 0;
    for (unsigned k = 0; k < Keys; ++k)
        rank += Starts ? static_cast<number>(node[k]) <= x : static_cast<number>(node[k]) < x;
    read.tell([&](auto& step) {
        step.looks_at(0, 64);
        step.compares_keys(number_of<A>(sought), {});
        for (unsigned k = 0; k < Keys; ++k)
            step.held.push_back(number_of<A>(simd::stored_key(node[k])));
    });
    return rank;
}
// The number of the interval of a key.
template <class A, unsigned Keys, bool Starts, class Read>
FINGERPOST_INLINE std::uint64_t find_in_tree(const tree_view<key_of<A>>& in, Read&& read, unsigned levels,
                                             key_of<A> sought) {
    std::uint64_t at = 0;
    for (unsigned level = 0;; ++level) {
        // With start keys, an address after every start reaches sentinels. It is moved back to the last leaf,
        // where it counts sentinels too.
        if (Starts && level == levels) {
            const std::uint64_t last = in.leaf_offset + in.last_interval / Keys * Keys;
            at = at < last ? at : last;
        }
        const std::uint64_t rank = find_in_node<A, Keys, Starts>(in, read, at, sought);
        if (level == levels && Starts) {
            const std::uint64_t interval = at + rank - in.leaf_offset - 1;
            return interval < in.last_interval ? interval : in.last_interval;
        }
        if (level == levels)
            return at + rank - in.leaf_offset;
        at = at * (Keys + 1) + (rank + 1) * Keys;
    }
}
// The number of a key's interval in a flat B-tree, which is the position of the key that ends the interval.
template <class A, unsigned Keys, class Read>
FINGERPOST_INLINE std::uint64_t find_in_flat(const tree_view<key_of<A>>& in, Read&& read, key_of<A> sought) {
    std::uint64_t best = 0;
    for (std::uint64_t node = 0; node < in.nodes;) {
        const std::uint64_t rank = find_in_node<A, Keys, false>(in, read, node * Keys, sought);
        if (rank < Keys) {
            best = node * Keys + rank;
            if (simd::stored_key(in.keys[best]) == sought)
                break;
        }
        node = node * (Keys + 1) + rank + 1;
    }
    return best;
}
// The code of an interval.
template <class Key, class Read>
FINGERPOST_INLINE std::uint32_t read_code(const tree_view<Key>& in, Read&& read, std::uint64_t interval) {
    if (in.width == answer_width::two_bytes)
        return read(static_cast<const std::uint16_t*>(in.answers), interval);
    return read(static_cast<const std::uint32_t*>(in.answers), interval);
}

// The address forms for a key width: key64 and ipv6, or only ipv4.
template <class Key>
inline constexpr std::size_t input_forms = sizeof(Key) == 8 ? 2 : 1;

// Writes the code minus one of each address's interval. Code 0 is "no route"; other codes are the next hop
// plus one, so the result is the next hop or next_hop::none.
template <class Key>
using batch_kernel = void (*)(const tree_view<Key>&, const void* addresses, std::uint32_t* out,
                              std::size_t count) noexcept;
template <class Key>
using single_kernel = std::uint32_t (*)(const tree_view<Key>&, Key key) noexcept;

// Maximum number of levels above the leaves, for up to 8 * 9^7 = 38 M, 16 * 17^6 = 386 M and 32 * 33^4 = 37 M
// intervals.
template <unsigned Keys>
inline constexpr unsigned most_levels = Keys == 8    ? 7
                                        : Keys == 16 ? 6
                                                     : 4;
// The number of levels for full Internet tables: up to 472 k, 1.3 M and 1.2 M intervals. Batches unroll these
// levels. Other trees use a loop, which takes up to 7 % longer and 1/8 of the time to compile.
template <unsigned Keys>
inline constexpr unsigned usual_levels = Keys == 8    ? 5
                                         : Keys == 16 ? 4
                                                      : 3;

// The kernels for trees with a given number of levels.
template <class Key>
struct walk_kernels {
    batch_kernel<Key> batch[input_forms<Key>];
    single_kernel<Key> single;
    // Looks up one address at a time. Nodes are searched with a plain loop that is left to the compiler.
    single_kernel<Key> plain_loop;
};
template <class Key>
struct tree_kernels {
    walk_kernels<Key> walks[most_levels<8> + 1]; // kernels by number of levels
    // The flat B-tree: the keys of all nodes in breadth-first order, each stored once and with a code. Child
    // c of node q is node q * (Keys + 1) + c + 1. A lookup may end at a node that contains the sought key.
    single_kernel<Key> flat;
};

// Leaf keys are the inclusive ends of the intervals, and the answer is that of the first end not below the
// address. Or they are the starts, as in the paper, and the answer is that of the last start not above it.
template <class Key>
struct kernels_over {
    tree_kernels<Key> ends;
    tree_kernels<Key> starts;
    tree_kernels<Key> wide; // end keys, nodes of 128 bytes
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

// Returns the kernels for an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// Defined in kernels.cpp for each instruction set in the build.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::planb
