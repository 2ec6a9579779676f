// Packed leaves as their kernels see them: an index over the first bits, and below it nodes and leaves of one
// cache line; or, for large IPv4 tables, words that rank the boundaries of 32 cells.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "fingerpost/simd/select.hpp"
#include "fingerpost/simd/tuning.hpp"

namespace fingerpost::packed_leaves {

inline constexpr std::size_t answer_widths = 3; // codes of 1, 2 and 4 bytes
inline constexpr std::size_t input_forms = 3;

inline constexpr unsigned line_bytes = 64;
// Keys are the 32 bits of an address after its first 16, right aligned.
inline constexpr unsigned key_begin = 16;
inline constexpr unsigned key_bits = 32;

// A node: up to 15 inclusive ends of its children, without the last; unused ones are all ones. Then, at
// `base_at`, the place of the first child; children lie side by side. Places are offsets in bytes from the
// first line.
struct node_shape {
    static constexpr unsigned keys = 15;
    static constexpr unsigned children = keys + 1;
    static constexpr unsigned base_at = keys * 4;
};
static_assert(node_shape::base_at + 4 == line_bytes);

// A leaf: `keys` inclusive ends in ascending order, unused ones all ones, then at `answers_at` one more code
// than keys. The last interval of a leaf has no key; it ends where the next leaf starts.
struct leaf_shape {
    unsigned keys;
    unsigned codes_at;

    constexpr unsigned intervals() const { return keys + 1; }
};
constexpr leaf_shape leaf_shape_for(unsigned code_bytes) {
    const unsigned keys = (line_bytes - code_bytes) / (4 + code_bytes);
    return {keys, line_bytes - (keys + 1) * code_bytes}; // answers at the end, so aligned
}
static_assert(leaf_shape_for(2).keys == 10 && leaf_shape_for(2).codes_at == 42);

// An entry of the index that is not the last one of a lookup. Its low 8 bits tell how far the address is
// shifted to the right; the other bits, a signed number, are added to the result. The sum is the number of
// the page entry that is read next. The bits that all addresses here share are already subtracted, so nothing
// needs to be masked.
struct step_entry {
    static constexpr unsigned shift_bits = 8;
    // An entry that takes no bits passes the address on: only its first bit is left, and is subtracted.
    static constexpr unsigned pass = 63;

    // An entry that leads to the table whose entry 0 is the page entry `table`. It is for addresses that are
    // equal to `first` except in their last `shift` bits and those that the table takes.
    static constexpr std::uint64_t make(std::size_t table, unsigned shift, std::uint64_t first) noexcept {
        return (table - static_cast<std::size_t>(first >> shift)) << shift_bits | shift;
    }
    static constexpr unsigned shift_of(std::uint64_t entry) noexcept { return entry & 0xff; }
    // Where the search for an address goes on, by the first 64 bits of the address.
    static constexpr std::size_t slot(std::uint64_t entry, std::uint64_t address) noexcept {
        const auto base = static_cast<std::uint64_t>(static_cast<std::int64_t>(entry) >> shift_bits);
        return static_cast<std::size_t>((address >> (entry & 63)) + base);
    }
};
// The last entry of a lookup: an answer's code in the high half, or the offset of a tree's first node in the
// low half; the other half is 0. So code and offset can both be used without testing the kind of entry: the
// lines at offset 0 give code 0, and a code from the index is added to the one of a leaf.
struct last_entry {
    static constexpr std::uint64_t answer(std::uint32_t code) noexcept { return std::uint64_t{code} << 32; }
    static constexpr std::uint64_t tree(std::uint32_t offset) noexcept { return offset; }
    static constexpr bool is_tree(std::uint64_t entry) noexcept { return tree_of(entry) != 0; }
    static constexpr std::uint32_t tree_of(std::uint64_t entry) noexcept {
        return static_cast<std::uint32_t>(entry);
    }
    static constexpr std::uint32_t code_of(std::uint64_t entry) noexcept {
        return static_cast<std::uint32_t>(entry >> 32);
    }
};
// Marks root entries that alone give no code. Among codes, only the escape of four bytes may have the same
// value.
inline constexpr std::uint32_t no_root_code = ~std::uint32_t{0};
// Steps after the root. Two, and a block of two levels of nodes, are enough for any table; see index.hpp.
inline constexpr unsigned index_steps = 2;
inline constexpr unsigned node_levels = 2;

// The line at offset 0 is a node without keys that leads to another one, and that one to a leaf with code 0:
// addresses that the index has answered go there.
struct index_view {
    const std::uint64_t* root = nullptr;       // indexed by the first 64 - root_shift bits of an address
    const std::uint32_t* root_codes = nullptr; // by the same bits: the code, if all these addresses have one
    const std::uint64_t* pages = nullptr;      // the tables of the other steps
    const std::byte* lines = nullptr;
    unsigned root_shift = 63;
    unsigned code_bytes = 1;
    simd::tuning how;
};

// The boundaries of 32 neighbouring cells of 24 bits. One number, so that it is written and read as a whole.
struct bitmap_word {
    std::uint64_t both = 0;

    static constexpr bitmap_word make(std::uint32_t ends, std::uint32_t start) noexcept {
        return {std::uint64_t{start} << 32 | ends};
    }
    // Bit i is set if an interval ends with cell i; the last cell is left out.
    constexpr std::uint32_t ends() const noexcept { return static_cast<std::uint32_t>(both); }
    // Where the answers of the word's intervals start.
    constexpr std::uint32_t start() const noexcept { return static_cast<std::uint32_t>(both >> 32); }
    // The number of its intervals that end before this one of its cells.
    unsigned intervals_before(std::uint32_t cell) const noexcept {
        return static_cast<unsigned>(std::popcount(ends() & ~(~std::uint32_t{0} << cell)));
    }
    std::uint32_t slot_of(std::uint32_t cell) const noexcept { return start() + intervals_before(cell); }
    bool operator==(const bitmap_word&) const = default;
};
struct bitmap_view {
    const bitmap_word* words = nullptr; // indexed by the first 19 bits of an address
    const std::byte* answers = nullptr;
    simd::tuning how;
};
inline constexpr unsigned cell_bits = 24;
inline constexpr unsigned word_cells = 32;
inline constexpr unsigned word_index_bits = 19;

// The meaning of codes. Codes below `region_count` are regions (regions.hpp): `regions` has the answer of
// each, followed by a 0. Other codes are the number of a next hop plus region_count, and `escape` is the code
// of addresses that only the tiers can answer.
inline constexpr std::uint32_t least_regions = 32; // as many as two AVX-512 vectors hold
struct code_view {
    const std::uint32_t* regions = nullptr;
    std::uint32_t region_count = least_regions;
    std::uint32_t escape = 0;

    // The number of a next hop, or all ones without a route.
    std::uint32_t number_of(std::uint32_t code) const noexcept {
        const std::uint32_t region = code < region_count ? code : region_count;
        return regions[region] + (code - region);
    }
};

// What to do about addresses with the escape code: resolve is called for up to 64 neighbouring addresses
// right after their answers were written, with a bit set in `escaped` for each of those.
struct code_rules {
    code_view codes;
    const void* self;
    void (*resolve)(const void* self, const void* addresses, std::uint32_t* out,
                    std::uint64_t escaped) noexcept;
};

// Writes the number of each address's next hop, or next_hop::none.
using batch_kernel = void (*)(const index_view&, const code_rules&, const void* addresses, std::uint32_t* out,
                              std::size_t count) noexcept;
// The same for IPv4 addresses in host order.
using bitmap_kernel = void (*)(const bitmap_view&, const code_rules&, const void* addresses,
                               std::uint32_t* out, std::size_t count) noexcept;
// The code of one IPv4 address.
using bitmap_single_kernel = std::uint32_t (*)(const bitmap_view&, std::uint32_t address) noexcept;
// The code of one address, by its first 64 bits.
using single_kernel = std::uint32_t (*)(const index_view&, std::uint64_t address) noexcept;
// From the first node of a tree with `levels` levels of nodes to the code. `key` is right aligned.
using walk_kernel = std::uint32_t (*)(const std::byte* lines, std::uint32_t node, unsigned levels,
                                      std::uint32_t key) noexcept;

struct kernel_set {
    batch_kernel batch[input_forms];
    bitmap_kernel bitmap[answer_widths];
    bitmap_single_kernel bitmap_single[answer_widths];
    single_kernel single[answer_widths];
    walk_kernel walk[answer_widths];
};

// The kernels of an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// kernels.cpp defines one for each instruction set that was built.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::packed_leaves
