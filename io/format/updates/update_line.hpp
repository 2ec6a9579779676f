// One line of updates as text (updates.hpp has the format): cutting it into its words, and writing it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/base/expected.hpp"

namespace fingerpost::io {

struct update_line {
    std::optional<std::uint64_t> seconds{}; // when it was recorded, as far as that is a number of 64 bits
    bool announced = false;
    std::string_view where;                    // not empty; not yet parsed
    std::span<const std::string_view> cells{}; // of an announcement, one for each column
};

// Cuts the lines of one input, whose header may name the columns of values.
class update_cutter {
  public:
    enum class line_kind : std::uint8_t { empty, header, update };

    // The error is why the line is none, in words.
    expected<line_kind, std::string> cut(std::string_view line);
    // What the last line was, when it was an update; lives until the next one, as long as the line does.
    const update_line& update() const noexcept { return update_; }
    // Those of the header; until there is one, next_hop.
    std::span<const std::string> columns() const noexcept { return columns_; }

  private:
    expected<line_kind, std::string> cut_header(std::string_view rest);
    expected<line_kind, std::string> cut_update(std::string_view verb, std::string_view rest);
    std::string take_cells(std::string_view rest);

    std::vector<std::string> columns_{"next_hop"};
    bool has_begun_ = false; // a header or an update has been seen
    update_line update_;
    std::vector<std::string_view> cells_;
    std::deque<std::string> unquoted_; // the texts of cells that have quotes within; none moves
};

// Why these texts cannot stand in a line of updates or its header so that they are read back, in words that
// go on behind their name; null when they can.
const char* update_refusal(std::span<const std::string_view> texts) noexcept;

// Names the columns of the lines that follow.
void append_update_header(std::span<const std::string_view> columns, std::string& out);
// An announcement of the prefix `where`, with a cell for each column.
void append_announcement(std::string_view where, std::span<const std::string_view> cells, std::string& out);
void append_withdrawal(std::string_view where, std::string& out);

} // namespace fingerpost::io
