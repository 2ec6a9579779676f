// The kernels of the trie, and plain pointers to the arrays, which fib/parts/multibit/level_view.hpp
// explains.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/simd/select.hpp"

namespace fingerpost::trie_24_8 {

// Kernels look up whole groups of IPv6 addresses in entries of 2 or 4 bytes, write codes minus one, and
// return the number of addresses. The chunks must have fewer than 2^31 entries.
using group_kernel = std::size_t (*)(const void* root, const void* chunks, const void* addresses,
                                     std::uint32_t* out, std::size_t count) noexcept;
// Indexed by the entry size. Null for instruction sets without gathers.
struct kernel_set {
    group_kernel two;
    group_kernel four;
};

// Returns the kernels for an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// Defined in kernels.cpp for each instruction set in the build.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::trie_24_8
