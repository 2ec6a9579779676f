// The trie as its kernels see it: three arrays, their elements, and the types of the kernels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/fib/parts/multibit/bit_cursor.hpp"
#include "fingerpost/simd/input_form.hpp"
#include "fingerpost/simd/select.hpp"

namespace fingerpost::neurotrie {

// A node. The headers of its children lie side by side, as do its blocks and its leaves.
struct header {
    std::uint8_t stride = 1;
    std::uint8_t made_by = 0;  // a choice: see plan.hpp
    std::uint16_t planned = 0; // bytes of the node when its stride was chosen, in units of 16
    std::uint32_t blocks = 0;
    std::uint32_t children = 0;
    std::uint32_t leaves = 0; // index in units of two bytes
};
static_assert(sizeof(header) == 16);

// 64 slots of a node; the lowest bit belongs to the first slot. A bit in `child` means that the slot leads to
// a child. A bit in `run` means that a run of equal answers begins; runs continue across slots with children,
// and from one block to the next.
struct block {
    std::uint64_t child;
    std::uint64_t run;
    std::uint32_t children_before; // in the node's blocks before this one
    std::uint32_t runs_before;
};
static_assert(sizeof(block) == 24);

struct trie_view {
    const header* headers = nullptr;
    const block* blocks = nullptr;
    const std::uint16_t* leaves = nullptr; // a leaf is one of these, or two
    std::uint32_t root = 0;
};

enum class leaf_width : std::uint8_t { two_bytes, four_bytes };
inline constexpr std::size_t leaf_widths = 2;
inline constexpr std::size_t input_forms = 3;

// Both write the code minus one. Codes are next hop + 1, and 0 is "no route".
using batch_kernel = void (*)(const trie_view&, const void* addresses, std::uint32_t* out,
                              std::size_t count) noexcept;
using single_kernel = std::uint32_t (*)(const trie_view&, std::uint64_t high, std::uint64_t low) noexcept;

struct kernel_set {
    batch_kernel batch[input_forms][leaf_widths];
    single_kernel single[2][leaf_widths]; // for up to 64 bits, and for more
};

// The kernels of an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// kernels.cpp defines one for each instruction set that was built.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::neurotrie
