// Packed leaves as their kernels see them: an index over the first bits, and below it nodes and leaves of one
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

// An entry of the index that is not the last one of a lookup: `base` << 8 | `shift`. The next entry is
//
//      pages[(first 64 bits of the address >> shift) + base]
//
// `base` is a signed number from which the bits that all addresses here share are already subtracted, so
// nothing needs to be masked. Pages are one array of entries, in which tables lie one after the other.
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

// Writes the number of each address's next hop, or next_hop::none.
using batch_kernel = void (*)(const index_view&, const code_rules&, const void* addresses, std::uint32_t* out,
                              std::size_t count) noexcept;
// The code of one address, by its first 64 bits.
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
