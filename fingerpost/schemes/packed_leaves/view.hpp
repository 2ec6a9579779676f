// Packed leaves as the kernels see them: an index over the first bits, and below it nodes and leaves of one
// cache line.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/fib/parts/cells/packed_lines.hpp"
#include "fingerpost/simd/select.hpp"
#include "fingerpost/simd/tuning.hpp"

namespace fingerpost::packed_leaves {

using namespace cells;

inline constexpr std::size_t input_forms = 3;

// Keys are the 32 bits of an address after these.
inline constexpr unsigned key_begin = 16;

// An index entry that is not the last one of a lookup: `base` << 8 | `shift`. The next entry is
//
//      pages[(first 64 bits of the address >> shift) + base]
//
// `base` is a signed number from which the common first bits of these addresses are already subtracted, so no
// mask is needed. `pages` is one array with the entries of all tables.
struct step_entry {
    static constexpr unsigned shift_bits = 8;
    // The shift of an entry that takes no bits. Only the first address bit is left, which `base` subtracts.
    static constexpr unsigned pass = 63;

    // The entry for a table that starts at page entry `table`. Its addresses equal `first` except in their
    // last `shift` bits and in the bits that the table takes.
    static constexpr std::uint64_t make(std::size_t table, unsigned shift, std::uint64_t first) noexcept {
        return (table - static_cast<std::size_t>(first >> shift)) << shift_bits | shift;
    }
    static constexpr unsigned shift_of(std::uint64_t entry) noexcept { return entry & 0xff; }
    // Number of the page entry that follows, for the first 64 bits of an address.
    static constexpr std::size_t slot(std::uint64_t entry, std::uint64_t address) noexcept {
        const auto base = static_cast<std::uint64_t>(static_cast<std::int64_t>(entry) >> shift_bits);
        return static_cast<std::size_t>((address >> (entry & 63)) + base);
    }
};
// The last entry of a lookup. Either the high half is the code of an answer, or the low half is the offset of
// a tree's first node; the other half is 0. So code and offset can both be used without testing the kind of
// the entry: the lines at offset 0 give code 0, and the index's code is added to the leaf's.
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
// Marks root entries without a code. Only the four-byte escape may have the same value as a code.
inline constexpr std::uint32_t no_root_code = ~std::uint32_t{0};
// Steps after the root. Two steps, followed by two levels of nodes, are sufficient for every table; see
// index.hpp.
inline constexpr unsigned index_steps = 2;
inline constexpr unsigned node_levels = 2;

// The line at offset 0 is a node without keys. Its child is another one, whose child is a leaf with code 0.
// Addresses that the index has answered go there.
struct index_view {
    const std::uint64_t* root = nullptr; // indexed by the first 64 - root_shift bits of an address
    // indexed like `root`: the code, if all these addresses have one
    const std::uint32_t* root_codes = nullptr;
    const std::uint64_t* pages = nullptr; // tables of the other steps
    const std::byte* lines = nullptr;
    unsigned root_shift = 63;
    unsigned code_bytes = 1;
    simd::tuning how;
};

// Writes the id of each address's next hop, or next_hop::none.
using batch_kernel = void (*)(const index_view&, const code_rules&, const void* addresses, std::uint32_t* out,
                              std::size_t count) noexcept;
// Returns the code of an address, given by its first 64 bits.
using single_kernel = std::uint32_t (*)(const index_view&, std::uint64_t address) noexcept;
struct kernel_set {
    batch_kernel batch[input_forms];
    single_kernel single[code_widths];
};

// Returns the kernels for an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// Defined in kernels.cpp for each instruction set in the build.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::packed_leaves
