// The kernels of SAIL_L, and plain pointers to the arrays, which fib/parts/multibit/level_view.hpp explains.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/simd/select.hpp"

namespace fingerpost::sail_l {

using word = std::uint32_t; // type of a slot

// Kernels look up whole groups of addresses with the published strides, write codes minus one, and return the
// number of addresses. If a lane needs bits after the first 64, the result is the last slot reached minus
// one; that slot's top bit is set. Null for instruction sets on which gathers are missing or too slow.
using group_kernel = std::size_t (*)(const word* root, const word* chunks, const void* addresses,
                                     std::uint32_t* out, std::size_t count) noexcept;
struct kernel_set {
    group_kernel ipv4;
    group_kernel ipv6;
};

// Returns the kernels for an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// Defined in kernels.cpp for each instruction set in the build.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::sail_l
