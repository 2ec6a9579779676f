// The kernels of direct tables, and plain pointers to the arrays, which arrays.hpp explains.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/simd/select.hpp"

namespace fingerpost::dir_24_8 {

// The two arrays, with entries of 2 or 4 bytes, and the number of bits that choose an entry in a spill group.
struct entry_arrays {
    const void* table;
    const void* spill;
    unsigned rest;
};

// Kernels look up whole groups of 32-bit addresses, write codes minus one, and return the number of
// addresses. The spill array must have fewer than 2^31 entries.
using group_kernel = std::size_t (*)(const entry_arrays& from, const std::uint32_t* addresses,
                                     std::uint32_t* out, std::size_t count) noexcept;
// Indexed by the entry size. Null for instruction sets without gathers.
struct kernel_set {
    group_kernel two;
    group_kernel four;
};
inline constexpr std::size_t least_group = 16; // smallest number of addresses that a kernel takes

// Returns the kernels for an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// Defined in kernels.cpp for each instruction set in the build.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::dir_24_8
