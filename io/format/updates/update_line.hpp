// One line of updates as text (updates.hpp describes the format): cutting it into words, and writing it.
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
    std::optional<std::uint64_t> seconds{}; // time of recording, if it fits 64 bits
    bool announced = false;
    std::string_view where;                    // not empty; not yet parsed
    std::span<const std::string_view> cells{}; // of an announcement, one for each column
};

// Cuts the lines of one input; its header may name the columns of values.
class update_cutter {
  public:
    enum class line_kind : std::uint8_t { empty, header, update };

    // The error says why the line is wrong, in words.
    expected<line_kind, std::string> cut(std::string_view line);
    // The last line, if it was an update; valid until the next line, and as long as the line itself.
    const update_line& update() const noexcept { return update_; }
    // The columns of the header; next_hop until there is a header.
    std::span<const std::string> columns() const noexcept { return columns_; }

  private:
    expected<line_kind, std::string> cut_header(std::string_view rest);
    expected<line_kind, std::string> cut_update(std::string_view verb, std::string_view rest);
    std::string take_cells(std::string_view rest);

    std::vector<std::string> columns_{"next_hop"};
    bool has_begun_ = false; // a header or an update has been seen
    update_line update_;
    std::vector<std::string_view> cells_;
    std::deque<std::string> unquoted_; // the texts of cells that contain quotes; they do not move
};

// Why these texts cannot be written in a line of updates or its header and read back, in words that follow
// their name in a sentence; null if they can.
const char* update_refusal(std::span<const std::string_view> texts) noexcept;

// Names the columns of the following lines.
void append_update_header(std::span<const std::string_view> columns, std::string& out);
// An announcement of the prefix `where`, with one cell for each column.
void append_announcement(std::string_view where, std::span<const std::string_view> cells, std::string& out);
void append_withdrawal(std::string_view where, std::string& out);

} // namespace fingerpost::io
