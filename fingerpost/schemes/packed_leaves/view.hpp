// Packed leaves as their kernels see them: an index over the first bits, below it nodes and leaves of one
// cache line; or, for large IPv4 tables, words that rank the boundaries of 32 cells.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "fingerpost/simd/select.hpp"

namespace fingerpost::packed_leaves {

// The width of an answer code.
enum class answer_bytes_of : std::uint8_t { one_byte, two_bytes, four_bytes };
inline constexpr std::size_t answer_widths = 3;
inline constexpr std::size_t input_forms = 3;

inline constexpr unsigned line_bytes = 64;
// Keys are the 32 bits of an address after its first 16, right aligned.
inline constexpr unsigned key_begin = 16;
inline constexpr unsigned key_bits = 32;

// A node: up to 15 inclusive ends of its children but the last, unused ones all ones, then at `base_at` where
// the first child lies; children lie side by side. Places are offsets in bytes from the first line.
struct node_shape {
    static constexpr unsigned keys = 15;
    static constexpr unsigned children = keys + 1;
    static constexpr unsigned base_at = keys * 4;
};
static_assert(node_shape::base_at + 4 == line_bytes);

// A leaf: `keys` inclusive ends in ascending order, unused ones all ones, then at `answers_at` one code more
// than keys. The last interval of a leaf has no key; where it ends the next leaf starts.
struct leaf_shape {
    unsigned keys;
    unsigned answers_at;

    constexpr unsigned intervals() const { return keys + 1; }
};
constexpr leaf_shape leaf_shape_for(unsigned answer_bytes) {
    const unsigned keys = (line_bytes - answer_bytes) / (4 + answer_bytes);
    return {keys, line_bytes - (keys + 1) * answer_bytes}; // answers at the end, so aligned
}
static_assert(leaf_shape_for(2).keys == 10 && leaf_shape_for(2).answers_at == 42);

// An entry of the index, before the last step: how far to shift the bits that are left (32 takes none of
// them), then where the table starts that the result is an index of.
struct entry_shape {
    static constexpr unsigned shift_bits = 6;
    static constexpr std::uint32_t shift_mask = (1u << shift_bits) - 1;
    static constexpr std::uint32_t most_entries = 1u << (32 - shift_bits);
};
// An entry after the last step: a node's offset, a multiple of a line; or twice an answer's code plus this.
inline constexpr std::uint32_t done_bit = 1;
// Steps after the root. Two and a block of two levels of nodes are enough for any table, see
// index_tables.hpp.
inline constexpr unsigned index_steps = 2;
inline constexpr unsigned node_levels = 2;

// The line at offset 0 is a node without keys that leads to another and that to a leaf with code 0: where
// lanes go that the index has answered.
struct index_view {
    const std::uint32_t* root = nullptr;  // by the first 32 - root_shift bits of an address
    const std::uint32_t* pages = nullptr; // the tables of the other steps
    const std::byte* lines = nullptr;
    unsigned root_shift = 32;
};

// Boundaries of 32 neighbouring cells of 24 bits. One number, so that it is written and read as a whole.
struct bitmap_word {
    std::uint64_t both = 0;

    static constexpr bitmap_word make(std::uint32_t ends, std::uint32_t start) noexcept {
        return {std::uint64_t{start} << 32 | ends};
    }
    // Bit i is set when an interval ends with cell i; the last cell is left out.
    constexpr std::uint32_t ends() const noexcept { return static_cast<std::uint32_t>(both); }
    // Where the answers of the word's intervals start.
    constexpr std::uint32_t start() const noexcept { return static_cast<std::uint32_t>(both >> 32); }
    // How many of its intervals end before this one of its cells.
    unsigned intervals_before(std::uint32_t cell) const noexcept {
        return static_cast<unsigned>(std::popcount(ends() & ~(~std::uint32_t{0} << cell)));
    }
    std::uint32_t slot_of(std::uint32_t cell) const noexcept { return start() + intervals_before(cell); }
    bool operator==(const bitmap_word&) const = default;
};
struct bitmap_view {
    const bitmap_word* words = nullptr; // by the first 19 bits of an address
    const std::byte* answers = nullptr;
};
inline constexpr unsigned cell_bits = 24;
inline constexpr unsigned word_cells = 32;
inline constexpr unsigned word_index_bits = 19;

// Answers of short routes, a code minus one each: by the first bits of an address, and in pages by the bits
// after them. A root entry that is_short_page() is the number of a page below its top bit.
struct short_view {
    const std::uint32_t* root = nullptr;
    const std::uint32_t* pages = nullptr;
    unsigned root_bits = 0;
    unsigned page_bits = 0;
};
inline constexpr std::uint32_t short_page_bit = std::uint32_t{1} << 31;
// Numbers below the bit wrap around to large ones, so one comparison tests both bounds. All ones, no answer,
// is no page.
constexpr bool is_short_page(std::uint32_t entry) {
    return entry - short_page_bit < short_page_bit - 1;
}

// What to do about addresses whose code is `code`: resolve is called for up to 64 neighbouring addresses
// right after their answers were written, with a bit set in `escaped` for each of those.
struct escape_handler {
    std::uint32_t code;
    const void* self;
    void (*resolve)(const void* self, const void* addresses, std::uint32_t* out,
                    std::uint64_t escaped) noexcept;
};

// Writes the code minus one of each address: the next hop, or next_hop::none.
using batch_kernel = void (*)(const index_view&, const escape_handler&, const void* addresses,
                              std::uint32_t* out, std::size_t count) noexcept;
// The same for IPv4 addresses in host order.
using bitmap_kernel = void (*)(const bitmap_view&, const escape_handler&, const void* addresses,
                               std::uint32_t* out, std::size_t count) noexcept;
// From the first node of a tree with `levels` levels of nodes: the code minus one. `key` is right aligned.
using walk_kernel = std::uint32_t (*)(const std::byte* lines, std::uint32_t node, unsigned levels,
                                      std::uint32_t key) noexcept;

// Writes the answers of those addresses that have none yet, which is all ones.
using short_kernel = void (*)(const short_view&, const void* addresses, std::uint32_t* out,
                              std::size_t count) noexcept;

struct kernel_set {
    batch_kernel batch[input_forms][answer_widths];
    bitmap_kernel bitmap[answer_widths];
    walk_kernel walk[answer_widths];
    short_kernel fill[input_forms];
};

// The kernels of an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// One in kernels.cpp for each instruction set that was built.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::packed_leaves
