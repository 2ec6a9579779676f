// The kernels of DXR, and plain pointers to the arrays, which view.hpp explains.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/simd/select.hpp"

namespace fingerpost::dxr {

struct range_arrays {
    const std::uint16_t* blocks; // null without blocks
    const std::uint32_t* direct;
    const std::uint32_t* ranges;
    unsigned in_block;
};

// Kernels look up whole groups of IPv4 addresses, write codes minus one, and return the number of addresses.
using group_kernel = std::size_t (*)(const range_arrays& from, const std::uint32_t* addresses,
                                     std::uint32_t* out, std::size_t count) noexcept;
// One kernel for each number of bits that choose a chunk. Null for instruction sets without gathers.
struct kernel_set {
    group_kernel bits_16;
    group_kernel bits_18;
    group_kernel bits_20;
    group_kernel bits_20_in_blocks;
};

// Returns the kernels for an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// Defined in kernels.cpp for each instruction set in the build.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::dxr
