// The bitmap blocks of a CP-Trie as its kernels see them, and the types of the kernels.
//
// A slot has one number through all levels: the node's number times 256 plus the slot in the node. The bits
// of slots are in block slot / 64, where the lowest bit belongs to the first slot. The root takes the numbers
// of as many nodes as its slots fill. Counts run on over all levels as well, so that no step needs to know
// its level.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/input_form.hpp"
#include "fingerpost/simd/select.hpp"

namespace fingerpost::cp_trie {

inline constexpr unsigned slot_bits = 8; // of a node below the root
inline constexpr unsigned block_slots = 64;
inline constexpr std::size_t node_blocks = (std::size_t{1} << slot_bits) / block_slots;

struct trie_view {
    const std::byte* blocks = nullptr;      // of children; also of leaves if they are interleaved
    const std::byte* leaf_blocks = nullptr; // null if they are interleaved
    const void* codes = nullptr;            // one, two or four bytes each
    // The number of levels below the root that most lookups need: these steps are taken without testing for
    // the end.
    unsigned usual_levels = 0;
};

// A bitmap and the number of bits set in all blocks before it: 12 bytes as published, without padding.
struct counted_bitmap {
    std::uint32_t bits[2]; // one 64-bit number in host order, as two words to avoid padding
    std::uint32_t before;
};
static_assert(sizeof(counted_bitmap) == 12);

// Both bitmaps of 64 slots in 32 bytes, with the counts between them: either bitmap and its count are 16
// bytes, which a vector loads at once.
struct paired_bitmaps {
    std::uint64_t children;
    std::uint32_t child_before;
    std::uint32_t leaf_before;
    std::uint64_t leaves;
    std::uint64_t unused;
};
static_assert(sizeof(paired_bitmaps) == 32);

// Where the two bitmaps of a block and their counts are. The rank of a set bit, itself included, plus the
// count is the number of a child or of a code.
struct split_layout {
    static constexpr bool has_runs = false;
    static constexpr std::size_t block_bytes = sizeof(counted_bitmap);
    static constexpr unsigned pair_bytes = sizeof(counted_bitmap); // a bitmap and its count

    static FINGERPOST_INLINE std::uint64_t children(const trie_view& view, std::uint64_t block) noexcept {
        return load<std::uint64_t>(view.blocks + block * block_bytes);
    }
    static FINGERPOST_INLINE std::uint32_t child_before(const trie_view& view, std::uint64_t block) noexcept {
        return load<std::uint32_t>(view.blocks + block * block_bytes + offsetof(counted_bitmap, before));
    }
    static FINGERPOST_INLINE std::uint64_t leaves(const trie_view& view, std::uint64_t block) noexcept {
        return load<std::uint64_t>(view.leaf_blocks + block * block_bytes);
    }
    static FINGERPOST_INLINE std::uint32_t leaf_before(const trie_view& view, std::uint64_t block) noexcept {
        return load<std::uint32_t>(view.leaf_blocks + block * block_bytes + offsetof(counted_bitmap, before));
    }
    static FINGERPOST_INLINE const std::byte* leaf_pairs(const trie_view& view) noexcept {
        return view.leaf_blocks;
    }

    template <class T>
    static FINGERPOST_INLINE T load(const std::byte* at) noexcept {
        T value;
        __builtin_memcpy(&value, at, sizeof value);
        return value;
    }
};
struct line_layout {
    static constexpr bool has_runs = true;
    static constexpr std::size_t block_bytes = sizeof(paired_bitmaps);
    static constexpr unsigned pair_bytes = 16; // children and both counts, or both counts and leaves

    static FINGERPOST_INLINE const paired_bitmaps& at(const trie_view& view, std::uint64_t block) noexcept {
        return reinterpret_cast<const paired_bitmaps*>(view.blocks)[block];
    }
    static FINGERPOST_INLINE std::uint64_t children(const trie_view& view, std::uint64_t block) noexcept {
        return at(view, block).children;
    }
    static FINGERPOST_INLINE std::uint32_t child_before(const trie_view& view, std::uint64_t block) noexcept {
        return at(view, block).child_before;
    }
    static FINGERPOST_INLINE std::uint64_t leaves(const trie_view& view, std::uint64_t block) noexcept {
        return at(view, block).leaves;
    }
    static FINGERPOST_INLINE std::uint32_t leaf_before(const trie_view& view, std::uint64_t block) noexcept {
        return at(view, block).leaf_before;
    }
    static FINGERPOST_INLINE const std::byte* leaf_pairs(const trie_view& view) noexcept {
        return view.blocks + offsetof(paired_bitmaps, child_before);
    }
};

// The forms of addresses in a batch: IPv4, IPv6, or spread to 64 bits, so that the root's slot fills the
// first 16 bits and the slot of each level below the next eight.
inline constexpr std::size_t input_forms = 3;
inline constexpr std::size_t code_widths = 3; // one, two and four bytes
constexpr std::size_t place_of(simd::input_form form) noexcept {
    return static_cast<std::size_t>(form);
}
constexpr std::size_t width_place(unsigned bytes) noexcept {
    return bytes / 2;
}

// They write the code minus one of each address's leaf.
using batch_kernel = void (*)(const trie_view&, const void* addresses, std::uint32_t* out,
                              std::size_t count) noexcept;
using single_kernel = std::uint32_t (*)(const trie_view&, const void* address) noexcept;

struct layout_kernels {
    batch_kernel batch[input_forms][code_widths];
    single_kernel single[input_forms][code_widths];
};
struct kernel_set {
    layout_kernels split;
    layout_kernels lines;
};

// The kernels of an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// kernels.cpp defines one for each instruction set that was built.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::cp_trie
