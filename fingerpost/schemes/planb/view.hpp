// The linearized B+-tree as its kernels see it: one array of keys, one of answers, and the kernel signatures.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/simd/input_form.hpp"
#include "fingerpost/simd/select.hpp"

namespace fingerpost::planb {

// Internal levels breadth first, all full, then the leaves, trimmed after the last used node; key k of the
// node at offset p (in keys) leads to the child at offset p * (Keys + 1) + (k + 1) * Keys. A leaf key's
// number among the leaf keys is the number of its interval. `answers` holds a code an interval: u16 or u32.
struct tree_view {
    const std::uint64_t* keys = nullptr;
    const void* answers = nullptr;
    std::uint64_t last_interval = 0;
};

inline constexpr std::size_t input_forms = 2; // key64 and ipv6; IPv4 is spread to key64
enum class answer_width : std::uint8_t { two_bytes, four_bytes };
inline constexpr std::size_t answer_widths = 2;

// Writes the code minus one of each address's interval: codes are next hop + 1 with 0 for "no route", so what
// comes out is the next hop, or next_hop::none.
using batch_kernel = void (*)(const tree_view&, const void* addresses, std::uint32_t* out,
                              std::size_t count) noexcept;
using single_kernel = std::uint32_t (*)(const tree_view&, std::uint64_t key) noexcept;

// Levels above the leaves that are compiled, none included: up to 8 * 9^7 = 38 M and 16 * 17^5 = 22 M
// intervals.
template <unsigned Keys>
inline constexpr unsigned level_counts_of = 0;
template <>
inline constexpr unsigned level_counts_of<8> = 8;
template <>
inline constexpr unsigned level_counts_of<16> = 6;

template <unsigned Keys>
struct tree_kernels {
    static constexpr unsigned level_counts = level_counts_of<Keys>;
    // Every stored key is to be exclusive-ored with this, for instruction sets that compare only signed
    // words.
    std::uint64_t key_bias;
    batch_kernel batch[input_forms][answer_widths][level_counts];
    single_kernel single[answer_widths][level_counts];
    // The node searched by a plain loop that is left to the compiler, one address at a time.
    single_kernel plain_loop[answer_widths][level_counts];
};

// Leaf keys are the inclusive ends of the intervals, the answer is the first end not below the address; or,
// as in the paper, they are the starts, the answer is the last start not above it.
struct kernel_set {
    tree_kernels<8> ends;
    tree_kernels<8> starts;
    tree_kernels<16> wide; // ends, nodes of 128 bytes
};

// The kernels of an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// One in kernels.cpp for each instruction set that was built.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::planb
