// The sorted end points and the levels above them as the kernels see them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "fingerpost/fib/parts/lengths/wide_address.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/select.hpp"

namespace fingerpost::binary_search_on_prefixes {

// A node is a cache line of keys; with this many levels the points have ranks of 32 bits.
template <class Key>
inline constexpr unsigned node_keys = 64 / sizeof(Key);
template <class Key>
inline constexpr unsigned node_shift = sizeof(Key) == 4 ? 4 : 3;
template <class Key>
inline constexpr unsigned most_levels = (32 + node_shift<Key> - 1) / node_shift<Key>;

// Level 0 is the first column of the points in ascending order. Key i of level k is the largest key of node i
// of the level below. All levels are padded to whole nodes with all ones, and XORed with `bias`.
//
// An address that begins with the bits s has its point at a rank from front[s] to front[s + 1], both
// included. Addresses below point i have the code codes[2 * i], the point itself has codes[2 * i + 1].
template <class W>
struct points_view {
    using key = column_key<W>;

    std::array<const key*, most_levels<key>> level{};
    const std::uint32_t* front = nullptr;
    unsigned front_shift = 0; // shifts a key to its slot of the front array
    key bias = 0;
    const void* codes = nullptr;
    // For 128 bits: the second halves, and for each point the rank behind the points with its first half.
    const std::uint64_t* second = nullptr;
    const std::uint32_t* run_ends = nullptr;
};

// The rank of the first point that is not below an address whose first half is that of point `first`.
FINGERPOST_INLINE std::uint32_t find_in_run(const std::uint64_t* second, std::uint32_t first,
                                            std::uint32_t end, std::uint64_t sought) noexcept {
    while (first < end) {
        const std::uint32_t middle = first + (end - first) / 2;
        if (second[middle] < sought)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

inline constexpr std::size_t code_widths = 2; // codes of 2 and of 4 bytes

// They write the code minus one of each address: the number of a next hop, or next_hop::none.
template <class W>
struct point_kernels {
    column_key<W> bias; // as in points_view
    void (*batch[code_widths])(const points_view<W>&, const W* addresses, std::uint32_t* out,
                               std::size_t count) noexcept;
    std::uint32_t (*single[code_widths])(const points_view<W>&, W a) noexcept;
};
using kernel_set = kernels_by_width<point_kernels>;

// The kernels of an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// kernels.cpp defines one for each instruction set that was built.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::binary_search_on_prefixes
