// Multibit tries as their batch kernels see them. Kernels exist for AVX-512 only, because only its gathers
// are faster than single loads; elsewhere blocks of lookups step together (multibit_trie.hpp).
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
    unsigned root = 1;                      // the stride of the root
};

// Looks up `count` addresses, a multiple of batch_unit and at most batch_most. Writes the codes of pushed
// slots minus one, or the next hops of open ones. Lookups that need more than 64 bits stay unfinished:
// returns how many they are, and writes their indices to `left`.
using batch_kernel = std::size_t (*)(const trie_view&, const void* addresses, std::uint32_t* out,
                                     std::size_t count, std::uint16_t* left) noexcept;
inline constexpr std::size_t batch_unit = 8;
inline constexpr std::size_t batch_most = 256;

// By whether slots contain strides, and by the form of addresses. Null where there is no kernel.
struct kernels_of_slot {
    batch_kernel ipv4[2] = {};
    batch_kernel ipv6[2] = {};
};
struct kernel_set {
    kernels_of_slot pushed;
    kernels_of_slot open;
};

// The kernels of an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// kernels.cpp defines one for each instruction set that was built.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::multibit
