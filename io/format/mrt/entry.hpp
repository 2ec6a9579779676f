// An entry of an MRT file for one prefix: a route of a table, an announcement or a withdrawal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "fingerpost/net/any.hpp"
#include "io/format/mrt/bytes.hpp"

namespace fingerpost::io::mrt {

enum class entry_kind : std::uint8_t { rib, announce, withdraw };

// std::monostate means that there is no next hop.
using any_next_hop = std::variant<std::monostate, ipv4_address, ipv6_address>;

// The origin of a path: no AS (the path is empty or missing), one AS, or all members of an AS_SET in path
// order. The numbers are not copied from the record.
class origin_as {
  public:
    origin_as() = default;
    // `width`: size of a number in bytes, 2 or 4.
    origin_as(bytes numbers, unsigned width, bool is_set) noexcept
        : numbers_(numbers), width_(static_cast<std::uint8_t>(width)), is_set_(is_set) {}

    std::size_t size() const noexcept { return numbers_.size() / width_; }
    // A set of one AS is still a set.
    bool is_set() const noexcept { return is_set_; }
    std::uint32_t operator[](std::size_t i) const noexcept {
        const std::byte* const at = numbers_.data() + i * width_;
        return width_ == 2 ? load<std::uint16_t>(at) : load<std::uint32_t>(at);
    }

  private:
    bytes numbers_;
    std::uint8_t width_ = 4;
    bool is_set_ = false;
};

struct entry {
    entry_kind kind = entry_kind::rib;
    std::uint32_t seconds = 0; // time of recording, in seconds since 1970
    std::optional<std::uint32_t> microseconds{};
    any_address peer{};
    std::uint32_t peer_as = 0;
    // Index in the table of peers, if the file has one (TABLE_DUMP_V2).
    std::optional<std::uint16_t> peer_number{};
    bool is_local = false;     // in a message that the recording router sent to the peer (RFC 6396, 4.4.2)
    bool is_multicast = false; // a route for finding sources, not for forwarding
    std::optional<std::uint32_t> path_id{}; // from ADD-PATH (RFC 7911)
    any_prefix where{};
    any_next_hop next_hop{};
    origin_as origin{};
    std::uint32_t path_length = 0; // number of ASes for choosing the best path: a set counts as one
};

// The reason for which a record is damaged; empty if it is not. The text is a literal.
using fault = std::string_view;

// A part of the stream that was skipped as a whole, and the reason.
struct damage {
    std::uint64_t offset = 0; // within the stream, after decompression
    std::uint64_t size = 0;
    fault reason;
};

} // namespace fingerpost::io::mrt
