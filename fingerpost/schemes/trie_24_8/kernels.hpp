// The kernels of the trie by instruction set: plain pointers to the arrays that fib/parts/level_view.hpp
// explains.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/simd/select.hpp"

namespace fingerpost::trie_24_8 {

// Look up whole groups of IPv6 addresses in entries of 2 or 4 bytes and write codes minus one. They return
// how many addresses they took. No entry of the chunks may lie 2^31 entries or more behind the first one.
using group_kernel = std::size_t (*)(const void* root, const void* chunks, const void* addresses,
                                     std::uint32_t* out, std::size_t count) noexcept;
// By the bytes of an entry. Null for instruction sets without gathers.
struct kernel_set {
    group_kernel two;
    group_kernel four;
};

// The kernels of an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// One in kernels.cpp for each instruction set that was built.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::trie_24_8
