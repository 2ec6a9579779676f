// The bitmap blocks of a CP-Trie as the kernels see them, and the types of the kernels.
//
// Slots are numbered across all levels: the node's number times 256 plus the slot in the node. Block slot /
// 64 has a slot's bits; the lowest bit belongs to its first slot. The root counts as several nodes if it has
// more than 256 slots. Counts continue across levels too, so steps do not depend on their level.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "fingerpost/fib/plain_reads.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/input_form.hpp"
#include "fingerpost/simd/select.hpp"

namespace fingerpost::cp_trie {

inline constexpr unsigned slot_bits = 8; // stride of the nodes below the root
inline constexpr unsigned block_slots = 64;
inline constexpr std::size_t node_blocks = (std::size_t{1} << slot_bits) / block_slots;

struct trie_view {
    const std::byte* blocks = nullptr;      // children; with leaves if interleaved
    const std::byte* leaf_blocks = nullptr; // null if interleaved
    const void* codes = nullptr;            // one, two or four bytes each
    // Number of levels below the root that most lookups need. The kernels take these steps without testing
    // for the end.
    unsigned usual_levels = 0;
};

// A bitmap and the number of bits set in all blocks before it: 12 bytes, as published, without padding.
struct counted_bitmap {
    std::uint32_t bits[2]; // a 64-bit number in host order; two words avoid padding
    std::uint32_t before;
};
static_assert(sizeof(counted_bitmap) == 12);

// Both bitmaps of 64 slots in 32 bytes, with the counts between them. Either bitmap and its count are 16
// adjacent bytes, which a vector loads at once.
struct paired_bitmaps {
    std::uint64_t children;
    std::uint32_t child_before;
    std::uint32_t leaf_before;
    std::uint64_t leaves;
    std::uint64_t unused;
};
static_assert(sizeof(paired_bitmaps) == 32);

// The place of a block's bitmaps and counts. The rank of a set bit (itself included) plus the count is the
// number of a child or a code.
struct split_layout {
    static constexpr bool has_runs = false;
    static constexpr std::size_t block_bytes = sizeof(counted_bitmap);
    static constexpr unsigned pair_bytes = sizeof(counted_bitmap); // a bitmap and its count
    static constexpr std::size_t read_bytes = block_bytes;

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
    static constexpr std::size_t read_bytes = offsetof(paired_bitmaps, unused);

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

// The forms of addresses in a batch: IPv4, IPv6, or spread to 64 bits with the root's slot in the first 16
// bits and the slot of each level below in the next eight.
inline constexpr std::size_t input_forms = 3;
inline constexpr std::size_t code_widths = 3; // one, two and four bytes
constexpr std::size_t place_of(simd::input_form form) noexcept {
    return static_cast<std::size_t>(form);
}
constexpr std::size_t width_place(unsigned bytes) noexcept {
    return bytes / 2;
}

// The address bits that the first step and each later step take.
template <simd::input_form Form>
FINGERPOST_INLINE std::uint64_t root_slot(const std::byte* address) {
    constexpr std::size_t at = std::endian::native == std::endian::little ? simd::bytes_of(Form) - 2 : 0;
    std::uint16_t slot;
    __builtin_memcpy(&slot, address + at, sizeof slot);
    return slot;
}
template <simd::input_form Form>
FINGERPOST_INLINE std::uint64_t slot_in_node(const std::byte* address, unsigned level) {
    const std::size_t at =
        std::endian::native == std::endian::little ? simd::bytes_of(Form) - 3 - level : 2 + level;
    return static_cast<std::uint64_t>(address[at]);
}
template <simd::input_form Form>
inline constexpr unsigned levels_of = static_cast<unsigned>(simd::bytes_of(Form) - 2);

// The bits of a block up to a slot's bit, which becomes the top bit.
FINGERPOST_INLINE std::uint64_t bits_through(std::uint64_t bits, std::uint64_t slot) {
    return bits << (~slot % block_slots);
}
FINGERPOST_INLINE bool top_bit(std::uint64_t bits) {
    return static_cast<std::int64_t>(bits) < 0;
}

template <class Layout>
FINGERPOST_INLINE std::uint64_t children_through(const trie_view& view, std::uint64_t slot) {
    return bits_through(Layout::children(view, slot / block_slots), slot);
}

// All ones if the top bit is set. Unlike `?:`, choosing with a mask never compiles to a branch. A branch
// would be mispredicted for one lane in a few, which delays the loads of the lanes after it.
FINGERPOST_INLINE std::uint64_t mask_of_top_bit(std::uint64_t bits) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(bits) >> 63);
}

// The child's slot at which the lookup continues, or the same slot if there is no child.
template <class Layout>
FINGERPOST_INLINE std::uint64_t step(const trie_view& view, std::uint64_t slot, std::uint64_t below) {
    const std::uint64_t through = children_through<Layout>(view, slot);
    const std::uint64_t child = Layout::child_before(view, slot / block_slots) + simd::population(through);
    return slot ^ (((child << slot_bits | below) ^ slot) & mask_of_top_bit(through));
}

// Index of the code of a slot without a child.
template <class Layout>
FINGERPOST_INLINE std::uint32_t code_place(const trie_view& view, std::uint64_t slot) {
    const std::uint64_t block = slot / block_slots;
    const std::uint64_t through = bits_through(Layout::leaves(view, block), slot);
    auto place = static_cast<std::uint32_t>(Layout::leaf_before(view, block) + simd::population(through));
    if constexpr (!Layout::has_runs)
        place &= static_cast<std::uint32_t>(mask_of_top_bit(through)); // 0 has the code without a next hop
    return place;
}

// The sizes of strides and codes. Only explanations need them.
struct trie_shape {
    unsigned first = 16;
    unsigned later = slot_bits;
    std::uint32_t code_bytes = 0;
};
// Index of the code of an address that has reached `slot` on `level`.
template <class Layout, simd::input_form Form, class Read>
FINGERPOST_INLINE std::uint32_t walk(const trie_view& view, Read&& read, const std::byte* address,
                                     std::uint64_t slot, unsigned level, const trie_shape& shape = {}) {
    const auto tell = [&](auto& step, std::uint64_t bits) {
        step.looks_at(level == 0 ? 0 : shape.first + (level - 1) * shape.later,
                      level == 0 ? shape.first : shape.later);
        step.tests_bitmaps(slot % block_slots, {bits});
    };
    for (;; ++level) {
        const std::uint64_t block = slot / block_slots;
        read(view.blocks, block * Layout::block_bytes, Layout::read_bytes);
        const std::uint64_t through = children_through<Layout>(view, slot);
        read.tell([&](auto& step) {
            tell(step, Layout::children(view, block));
            if (top_bit(through))
                step.counted = {0, 1, std::uint64_t{Layout::child_before(view, block)} + 1,
                                simd::population(through) - 1, node_blocks * Layout::block_bytes};
            else
                step.misses();
        });
        if (!top_bit(through) || level == levels_of<Form>)
            break;
        slot = step<Layout>(view, slot, slot_in_node<Form>(address, level));
    }
    const std::uint64_t block = slot / block_slots;
    read(Layout::has_runs ? view.blocks : view.leaf_blocks, block * Layout::block_bytes, Layout::read_bytes);
    const std::uint32_t place = code_place<Layout>(view, slot);
    read.tell([&](auto& step) {
        const std::uint64_t leaves = Layout::leaves(view, block);
        const unsigned count = simd::population(bits_through(leaves, slot));
        tell(step, leaves);
        // A run may begin before this block.
        if (count > 0 && (Layout::has_runs || place > 0))
            step.counted = {0, 1, std::uint64_t{place} - (count - 1), count - 1, shape.code_bytes};
    });
    return place;
}
template <class Read>
std::uint32_t code_at(const trie_view& view, Read&& read, std::size_t place, unsigned bytes) {
    return bytes == 1   ? read(static_cast<const std::uint8_t*>(view.codes), place)
           : bytes == 2 ? read(static_cast<const std::uint16_t*>(view.codes), place)
                        : read(static_cast<const std::uint32_t*>(view.codes), place);
}

// These write the code minus one of each address.
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

// Returns the kernels for an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// Defined in kernels.cpp for each instruction set in the build.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::cp_trie
