// The walk from the first node of a tree to a code, compiled once for each instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/fib/parts/cells/codes.hpp"
#include "fingerpost/simd/select.hpp"

namespace fingerpost::cells {

// Walks through `levels` levels of nodes and a leaf. `key` is right aligned.
using walk_kernel = std::uint32_t (*)(const std::byte* lines, std::uint32_t node, unsigned levels,
                                      std::uint32_t key) noexcept;
struct kernel_set {
    walk_kernel walk[code_widths];
};

// Kernels of an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// Defined in fib/parts/kernels.cpp for each instruction set in the build.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::cells
