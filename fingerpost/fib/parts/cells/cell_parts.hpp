// Names in explanations and pictures: the parts of a FIB, and the keys in a line.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/fib/parts/cells/packed_lines.hpp"

namespace fingerpost::cells {

// Names in memory_parts(), steps and nodes.
namespace part {
inline constexpr std::string_view regions = "regions";
inline constexpr std::string_view next_hops = "next hops";
inline constexpr std::array<std::string_view, 3> long_level_cells{"tier 1 cells", "tier 2 cells",
                                                                  "tier 3 cells"};
inline constexpr std::array<std::string_view, 3> long_level_lines{"tier 1 lines", "tier 2 lines",
                                                                  "tier 3 lines"};
// Memory that only the writer reads, and its slack.
inline constexpr std::string_view for_changes = "for changes";
} // namespace part

// Number of the 32 bits of a key after the first `outer` bits that exist in an address. Kernels read the
// others as zeros; steps and nodes omit them.
constexpr unsigned shown_key_bits(unsigned address_bits, unsigned outer) noexcept {
    return std::min(key_bits, address_bits - std::min(outer, address_bits));
}

// The keys of a line, each reduced to its first `bits` bits.
class line_keys {
  public:
    line_keys(const std::byte* line, unsigned slots, unsigned bits) noexcept {
        for (unsigned i = 0; i < slots; ++i)
            if (const std::uint32_t key = key_at(line, i); key != no_key)
                keys_[count_++] = std::uint64_t{key} >> (key_bits - bits);
    }
    std::span<const std::uint64_t> list() const noexcept { return {keys_.data(), count_}; }

  private:
    std::array<std::uint64_t, node_shape::keys> keys_{};
    std::uint8_t count_ = 0;
};
static_assert(leaf_shape_for(1).keys <= node_shape::keys);

// Next hop of a code, or none for the escape, which only long-prefix levels resolve.
inline next_hop hop_of(std::span<const next_hop> hops, const code_view& codes, std::uint32_t code) noexcept {
    const std::uint32_t number = code == codes.escape ? next_hop::none.id : codes.number_of(code);
    return next_hop_decoder{hops}.decode(number);
}

} // namespace fingerpost::cells
