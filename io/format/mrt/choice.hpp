// Selects the entries of an MRT file that become a table: the peers, and the values of their routes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "io/format/mrt/entry.hpp"

namespace fingerpost::io {

// All peers of an AS, or one peer by its index in the table of peers, from 0.
struct peers_of_as {
    std::uint32_t as = 0;
};
struct numbered_peer {
    std::uint16_t number = 0;
};
// std::monostate means every peer.
using peer_choice = std::variant<std::monostate, any_address, peers_of_as, numbered_peer>;

// Parses an address, `AS64500`, or a number. Returns nothing for other texts.
std::optional<peer_choice> parse_peer(std::string_view text);
bool is_of(const mrt::entry& e, const peer_choice& peer) noexcept;

// Value of the routes: one of these, or all of them as columns.
enum class mrt_values : std::uint8_t { next_hop, peer, origin_as, all };
std::span<const std::string_view> columns_of(mrt_values values) noexcept;

struct mrt_choice {
    peer_choice peer{};
    mrt_values values = mrt_values::next_hop;
};

// Returns the values of an entry as text, one cell for each column. A cell is empty if the entry has no next
// hop or no origin. An origin that is a set is written as `{64500,64501}`.
class entry_cells {
  public:
    explicit entry_cells(mrt_values values) : values_(values) {}

    // Valid until the next call.
    std::span<const std::string_view> of(const mrt::entry& e);

  private:
    void set(std::size_t column, std::string text);

    mrt_values values_;
    std::array<std::string, 4> texts_;
    std::array<std::string_view, 4> cells_;
};

} // namespace fingerpost::io
