// The trie as the kernels see it: three arrays, their elements, and the types of the kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "fingerpost/base/bits.hpp"
#include "fingerpost/fib/parts/multibit/bit_cursor.hpp"
#include "fingerpost/fib/plain_reads.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/input_form.hpp"
#include "fingerpost/simd/select.hpp"

namespace fingerpost::neurotrie {

// A node. The headers of its children are contiguous, and so are its blocks and its leaves.
struct header {
    std::uint8_t stride = 1;
    std::uint8_t made_by = 0;  // a choice: see plan.hpp
    std::uint16_t planned = 0; // bytes of the node when its stride was chosen, in units of 16
    std::uint32_t blocks = 0;
    std::uint32_t children = 0;
    std::uint32_t leaves = 0; // index in units of two bytes
};
static_assert(sizeof(header) == 16);

// 64 slots of a node; the lowest bit is that of the first slot. A bit in `child` is set if the slot has a
// child. A bit in `run` is set if a run of equal answers starts there. Runs continue across slots with
// children, and from one block to the next.
struct block {
    std::uint64_t child;
    std::uint64_t run;
    std::uint32_t children_before; // number of children in earlier blocks of the node
    std::uint32_t runs_before;
};
static_assert(sizeof(block) == 24);

struct trie_view {
    const header* headers = nullptr;
    const block* blocks = nullptr;
    const std::uint16_t* leaves = nullptr; // a leaf is one or two of these
    std::uint32_t root = 0;
};

enum class leaf_width : std::uint8_t { two_bytes, four_bytes };
inline constexpr std::size_t leaf_widths = 2;
inline constexpr std::size_t input_forms = 3;

// Bits 0 to v of a bitmap, with bit v moved to the top. The last six bits of `turned` are the complement of
// v, because shifts take their count modulo 64.
FINGERPOST_INLINE constexpr std::uint64_t up_to(std::uint64_t bits, std::uint64_t turned) {
    return bits << (turned & 63);
}
// Returns the code minus one of a leaf.
template <leaf_width Width, class Read>
FINGERPOST_INLINE std::uint32_t read_leaf(const trie_view& view, Read&& read, std::size_t leaf) {
    if constexpr (Width == leaf_width::two_bytes)
        return *read(view.leaves, leaf, 1) - std::uint32_t{1};
    std::uint32_t code;
    std::memcpy(&code, read(view.leaves, leaf, 2), sizeof code);
    return code - 1;
}
// Looks up an address. Returns the code minus one.
template <leaf_width Width, class Read, class Cursor>
FINGERPOST_INLINE std::uint32_t find(const trie_view& view, Read&& read, Cursor at) {
    std::uint32_t number = view.root;
    for (unsigned position = 0;;) {
        const header& node = read(view.headers, number);
        const auto slot = static_cast<std::uint32_t>(at.take(node.stride));
        read.tell([&](auto& step) {
            step.looks_at(position, node.stride);
            step.key = slot;
        });
        const block& in = read(view.blocks, node.blocks + slot / 64);
        const std::uint64_t children = up_to(in.child, ~slot), runs = up_to(in.run, ~slot);
        const bool goes_on = (children >> 63) != 0;
        position += node.stride;
        read.tell([&](auto& step) {
            constexpr std::uint32_t leaf_bytes = Width == leaf_width::two_bytes ? 2 : 4;
            // The first bits have chosen the block; the last ones choose one of its 64 slots.
            const unsigned bits = node.stride < 6 ? node.stride : 6;
            step.looks_at(position - bits, bits);
            step.tests_bitmaps(slot % 64, {in.child, in.run});
            if (goes_on)
                step.counted = {0, 1, std::uint64_t{node.children} + in.children_before,
                                simd::population(children) - 1, sizeof(header)};
            else if (runs != 0) // otherwise the run starts in an earlier block
                step.counted = {1, 1, std::uint64_t{node.leaves} * 2 / leaf_bytes + in.runs_before,
                                simd::population(runs) - 1, leaf_bytes};
        });
        if (!goes_on) {
            const std::uint32_t run = in.runs_before + simd::population(runs) - 1;
            const std::uint32_t code =
                read_leaf<Width>(view, read, node.leaves + (Width == leaf_width::two_bytes ? run : 2 * run));
            read.tell([&](auto& step) { step.key = run; });
            return code;
        }
        number = node.children + in.children_before + simd::population(children) - 1;
    }
}

// Both write the code minus one. Code 0 is "no route"; other codes are the next hop plus one.
using batch_kernel = void (*)(const trie_view&, const void* addresses, std::uint32_t* out,
                              std::size_t count) noexcept;
using single_kernel = std::uint32_t (*)(const trie_view&, std::uint64_t high, std::uint64_t low) noexcept;

struct kernel_set {
    batch_kernel batch[input_forms][leaf_widths];
    single_kernel single[2][leaf_widths]; // one for addresses of up to 64 bits, one for longer ones
};

// Returns the kernels for an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// Defined in kernels.cpp for each instruction set in the build.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::neurotrie
