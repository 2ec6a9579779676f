// The kernels of the LC-trie.
#pragma once

#include <cstdint>

#include "fingerpost/schemes/lc_trie/view.hpp"
#include "fingerpost/simd/select.hpp"

namespace fingerpost::lc_trie {

// Number of addresses that a kernel looks up together.
inline constexpr unsigned group_lanes = 64;

// Returns a mask of the addresses that were not looked up, because they need bits after their first 64. Null
// for instruction sets on which gathers are missing or too slow.
template <class A>
using group_kernel = std::uint64_t (*)(const lc_trie_view<A>&, const A* addresses,
                                       std::uint32_t* out) noexcept;
struct kernel_set {
    group_kernel<ipv4_address> ipv4;
    group_kernel<ipv6_address> ipv6;
};

// Returns the kernels for an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// Defined in kernels.cpp for each instruction set in the build.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::lc_trie
