// Ranked cells as the kernels see them: words with the boundaries of 32 cells, and answers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "fingerpost/fib/parts/cells/codes.hpp"
#include "fingerpost/simd/select.hpp"
#include "fingerpost/simd/tuning.hpp"

namespace fingerpost::ranked_cells {

using namespace cells;

// The boundaries of 32 adjacent 24-bit cells. A single number, so that it is written and read as a whole.
struct bitmap_word {
    std::uint64_t both = 0;

    static constexpr bitmap_word make(std::uint32_t ends, std::uint32_t start) noexcept {
        return {std::uint64_t{start} << 32 | ends};
    }
    // Bit i is set if an interval ends with cell i. The last cell is omitted.
    constexpr std::uint32_t ends() const noexcept { return static_cast<std::uint32_t>(both); }
    // The number of the first answer of the word's intervals.
    constexpr std::uint32_t start() const noexcept { return static_cast<std::uint32_t>(both >> 32); }
    // The number of the word's intervals that end before this cell.
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

// Writes the id of the next hop, or next_hop::none, for each IPv4 address in host order.
using batch_kernel = void (*)(const bitmap_view&, const code_rules&, const void* addresses,
                              std::uint32_t* out, std::size_t count) noexcept;
// Returns the code of one IPv4 address.
using single_kernel = std::uint32_t (*)(const bitmap_view&, std::uint32_t address) noexcept;

struct kernel_set {
    batch_kernel batch[code_widths];
    single_kernel single[code_widths];
};

// Returns the kernels for an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// Defined in kernels.cpp for each instruction set in the build.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::ranked_cells
