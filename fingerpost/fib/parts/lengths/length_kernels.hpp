// Batch kernels of length_bitmaps.hpp by instruction set, for IPv4.
#pragma once

#include <cstdint>

#include "fingerpost/simd/select.hpp"

namespace fingerpost::length_kernels {

// An entry is a next hop code with its route's length in the bits above it, or the offset of a chunk's first
// word.
struct entry_layout {
    static constexpr std::uint32_t chunk_tag = 0x80000000;
    static constexpr unsigned length_shift = 28;
    static constexpr std::uint32_t code_mask = (std::uint32_t{1} << length_shift) - 1;
    // Words of a chunk before its codes.
    static constexpr std::uint32_t solid_word = 0, routes_word = 1, cell_word = 2, head_words = 3;
};

struct arrays {
    const std::uint64_t* bitmap;
    const std::uint32_t* entries;
    const std::uint32_t* chunks;
};

// Looks up this many addresses and writes codes minus one. Null for instruction sets without fast gathers.
inline constexpr unsigned group_lanes = 64;
using group_kernel = void (*)(const arrays&, const void* addresses, std::uint32_t* out) noexcept;
struct kernel_set {
    group_kernel by_one; // for levels one bit apart
    group_kernel by_six;
};

// Kernels of an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// Defined in kernels.cpp for each instruction set in the build.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::length_kernels
