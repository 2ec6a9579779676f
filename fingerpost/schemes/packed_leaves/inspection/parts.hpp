// The names of the parts of packed leaves, and how to read a line of keys.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "fingerpost/schemes/packed_leaves/bitmap/code_array.hpp"
#include "fingerpost/schemes/packed_leaves/lookup.hpp"
#include "fingerpost/schemes/packed_leaves/view.hpp"

namespace fingerpost::packed_leaves {

// As memory_parts(), steps and nodes name them.
namespace part {
inline constexpr std::string_view index_root = "index root";
inline constexpr std::string_view index_root_codes = "index root codes";
inline constexpr std::string_view index_pages = "index pages";
inline constexpr std::string_view index_lines = "index lines";
inline constexpr std::string_view bitmap_words = "bitmap words";
inline constexpr std::string_view bitmap_answers = "bitmap answers";
// The two lists of word_versions.hpp, the FIB's own first.
inline constexpr std::string_view changed_words = "changed words";
inline constexpr std::string_view regions = "regions";
inline constexpr std::string_view next_hops = "next hops";
inline constexpr std::array<std::string_view, 3> long_level_cells{"tier 1 cells", "tier 2 cells",
                                                                  "tier 3 cells"};
inline constexpr std::array<std::string_view, 3> long_level_lines{"tier 1 lines", "tier 2 lines",
                                                                  "tier 3 lines"};
// What only the writer reads, and its slack.
inline constexpr std::string_view for_changes = "for changes";
} // namespace part

namespace detail {

// How many of the 32 bits of a key behind the first `outer` bits an address of so many bits has. Kernels read
// zeros for the others; steps and nodes do not show them.
constexpr unsigned shown_key_bits(unsigned address_bits, unsigned outer) noexcept {
    return std::min(key_bits, address_bits - std::min(outer, address_bits));
}

// A line of keys, each of the first `bits` bits of what is stored.
class line_keys {
  public:
    line_keys(const std::byte* line, unsigned slots, unsigned bits) noexcept {
        for (unsigned i = 0; i < slots; ++i)
            if (const std::uint32_t key = key_at(line, i); key != no_key)
                keys_[count_++] = std::uint64_t{key} >> (key_bits - bits);
    }
    std::span<const std::uint64_t> list() const noexcept { return {keys_.data(), count_}; }
    std::size_t below(std::uint64_t key) const noexcept {
        return static_cast<std::size_t>(
            std::count_if(keys_.begin(), keys_.begin() + count_, [key](std::uint64_t k) { return k < key; }));
    }

  private:
    std::array<std::uint64_t, node_shape::keys> keys_{};
    std::uint8_t count_ = 0;
};
static_assert(leaf_shape_for(1).keys <= node_shape::keys);

// How many bits an entry takes of addresses whose first `outer` are taken.
constexpr unsigned stride_of(std::uint64_t entry, unsigned outer) noexcept {
    return step_entry::shift_of(entry) == step_entry::pass ? 0 : 64 - step_entry::shift_of(entry) - outer;
}

// The ends in a word, with that of the last cell, which the stored word leaves out. So the interval of a cell
// is the one whose end is the first bit at or behind the cell.
constexpr std::uint64_t shown_ends(const bitmap_word& word) noexcept {
    return word.ends() | std::uint64_t{1} << (word_cells - 1);
}

// The next hop of a code; none for the escape, which only long-prefix levels answer.
template <class A>
next_hop hop_of(const fib_arrays<A>& from, const code_view& codes, std::uint32_t code) noexcept {
    const std::uint32_t number = code == codes.escape ? next_hop::none.id : codes.number_of(code);
    return next_hop_decoder{from.hops}.decode(number);
}

} // namespace detail
} // namespace fingerpost::packed_leaves
