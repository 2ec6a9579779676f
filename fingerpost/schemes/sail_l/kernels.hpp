// The kernels of SAIL_L by instruction set, with plain pointers to the arrays that
// fib/parts/multibit/level_view.hpp explains.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/simd/select.hpp"

namespace fingerpost::sail_l {

using word = std::uint32_t; // a slot

// Kernels that look up whole groups of addresses with the published strides and write codes minus one. If a
// lane needs bits of the address behind its first 64, they write the slot that it has reached, minus one;
// that slot's top bit is set. They return how many addresses they took. Null for instruction sets without
// gathers that are worth it.
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
