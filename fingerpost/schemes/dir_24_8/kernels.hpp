// The kernels of direct tables by instruction set, with plain pointers to the arrays that arrays.hpp
// explains.
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

// They look up whole groups of 32-bit addresses, write codes minus one, and return how many addresses they
// took. Every entry of the spill array must lie less than 2^31 entries behind its first one.
using group_kernel = std::size_t (*)(const entry_arrays& from, const std::uint32_t* addresses,
                                     std::uint32_t* out, std::size_t count) noexcept;
// By the bytes of an entry. Null for instruction sets without gathers.
struct kernel_set {
    group_kernel two;
    group_kernel four;
};
inline constexpr std::size_t least_group = 16; // with fewer addresses a kernel takes none

// The kernels of an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// kernels.cpp defines one for each instruction set that was built.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::dir_24_8
