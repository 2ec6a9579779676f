// The sorted end points and the levels above them, as the kernels see them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "fingerpost/fib/parts/lengths/wide_address.hpp"
#include "fingerpost/fib/plain_reads.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/select.hpp"
#include "fingerpost/simd/stored_key.hpp"

namespace fingerpost::binary_search_on_prefixes {

// A node is a cache line of keys. Over this number of levels, ranks of points fit into 32 bits.
template <class Key>
inline constexpr unsigned node_keys = 64 / sizeof(Key);
template <class Key>
inline constexpr unsigned node_shift = sizeof(Key) == 4 ? 4 : 3;
template <class Key>
inline constexpr unsigned most_levels = (32 + node_shift<Key> - 1) / node_shift<Key>;

// Number of keys in each level over N points, in whole nodes. There is no level above the one with a single
// node.
template <class Key>
constexpr std::array<std::size_t, most_levels<Key>> keys_of_levels(std::size_t points) noexcept {
    constexpr std::size_t node = node_keys<Key>;
    std::array<std::size_t, most_levels<Key>> sizes{};
    for (std::size_t level = 0, keys = points; keys != 0; ++level) {
        sizes[level] = (keys + node - 1) / node * node;
        keys = sizes[level] > node ? sizes[level] / node : 0;
    }
    return sizes;
}
// A key as a number of min(A::bits, 64) bits.
template <class A>
constexpr std::uint64_t in_step(column_key<wide_address<A>> k) noexcept {
    return k >> (sizeof(k) * 8 - (A::bits < 64 ? A::bits : 64));
}

// Level 0 is the first column of the points in ascending order. Key i of level k is the largest key of node i
// of the level below. All levels are padded to whole nodes with keys of all ones, and XORed with
// simd::bias_of.
//
// An address that begins with the bits s has its point at a rank from front[s] to front[s + 1], both
// included. codes[2 * i] is the code of the addresses between point i - 1 and point i, and codes[2 * i + 1]
// that of point i.
template <class W>
struct points_view {
    using key = column_key<W>;

    std::array<const key*, most_levels<key>> level{};
    const std::uint32_t* front = nullptr;
    unsigned front_shift = 0; // shifts a key to its slot of the front array
    const void* codes = nullptr;
    // For 128 bits: the second halves and, for each point, the rank after the last point with the same first
    // half.
    const std::uint64_t* second = nullptr;
    const std::uint32_t* run_ends = nullptr;
};

// The code of an address whose first half equals that of point `first`.
template <class W, class Read>
FINGERPOST_INLINE std::uint64_t place_in_run(const points_view<W>& view, Read&& read, std::uint64_t first,
                                             std::uint64_t sought) {
    const std::uint32_t end = read(view.run_ends, first);
    const std::uint64_t* const run = read(view.second, first, end - first);
    read.tell([&](auto& step) {
        step.looks_at(64, 64);
        step.compares_keys(sought, {run, run + (end - first)});
    });
    auto at = static_cast<std::uint32_t>(first);
    for (std::uint32_t above = end; at < above;) {
        const std::uint32_t middle = at + (above - at) / 2;
        if (view.second[middle] < sought)
            at = middle + 1;
        else
            above = middle;
    }
    return 2 * std::uint64_t{at} + (at < end && view.second[at] == sought ? 1 : 0);
}

inline constexpr std::size_t code_widths = 2; // codes of 2 or 4 bytes

// These write the code minus one of each address, which is the id of a next hop or of next_hop::none.
template <class W>
struct point_kernels {
    void (*batch[code_widths])(const points_view<W>&, const W* addresses, std::uint32_t* out,
                               std::size_t count) noexcept;
    std::uint32_t (*single[code_widths])(const points_view<W>&, W a) noexcept;
};
using kernel_set = kernels_by_width<point_kernels>;

// Returns the kernels for an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// Defined in kernels.cpp for each instruction set in the build.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::binary_search_on_prefixes
