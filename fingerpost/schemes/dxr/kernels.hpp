// The kernels of DXR by instruction set, with plain pointers to the arrays that view.hpp explains.
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

// They look up whole groups of IPv4 addresses, write codes minus one, and return how many addresses they
// took.
using group_kernel = std::size_t (*)(const range_arrays& from, const std::uint32_t* addresses,
                                     std::uint32_t* out, std::size_t count) noexcept;
// By the number of bits that choose a chunk. Null for instruction sets without gathers.
struct kernel_set {
    group_kernel bits_16;
    group_kernel bits_18;
    group_kernel bits_20;
    group_kernel bits_20_in_blocks;
};

// The kernels of an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// kernels.cpp defines one for each instruction set that was built.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::dxr
