// Multibit tries in the form that batch kernels use. Kernels exist only for AVX-512, because only its gathers
// are faster than single loads. With other instruction sets, blocks of lookups step together
// (multibit_trie.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/simd/input_form.hpp"
#include "fingerpost/simd/isa.hpp"
#include "fingerpost/simd/select.hpp"

namespace fingerpost::multibit {

// Slots have four or eight bytes; see multibit_slots.hpp.
struct trie_view {
    const void* slots = nullptr;
    const std::uint8_t* by_level = nullptr; // strides, then 0; null if slots contain them
    unsigned root = 1;                      // stride of the root
};

// Looks up `count` addresses, a multiple of batch_unit and at most batch_most. Writes the codes of pushed
// slots minus one, or the next hops of open slots. Lookups that need more than 64 bits remain unfinished:
// returns their number, and writes their indices to `left`.
using batch_kernel = std::size_t (*)(const trie_view&, const void* addresses, std::uint32_t* out,
                                     std::size_t count, std::uint16_t* left) noexcept;
inline constexpr std::size_t batch_unit = 8;
inline constexpr std::size_t batch_most = 256;

// Kernels by whether slots contain strides, and by the form of addresses. Null if there is no kernel.
struct kernels_of_slot {
    batch_kernel ipv4[2] = {};
    batch_kernel ipv6[2] = {};
};
struct kernel_set {
    kernels_of_slot pushed;
    kernels_of_slot open;
};

// Kernels of an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// Defined in kernels.cpp for each instruction set in the build.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::multibit
