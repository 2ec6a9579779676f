// One line of updates as text (updates.hpp describes the format): reading and writing.
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
    std::optional<std::uint64_t> seconds{}; // time of recording, if it fits in 64 bits
    bool announced = false;
    std::string_view where;                    // never empty; not parsed yet
    std::span<const std::string_view> cells{}; // of an announcement, one for each column
};

// Cuts the lines of one input, whose header may name the value columns.
class update_cutter {
  public:
    enum class line_kind : std::uint8_t { empty, header, update };

    // Returns a description of the fault if the line is invalid.
    expected<line_kind, std::string> cut(std::string_view line);
    // The last line, if it was an update. Valid until the next line, and as long as the line itself.
    const update_line& update() const noexcept { return update_; }
    // Columns of the header; next_hop until there is a header.
    std::span<const std::string> columns() const noexcept { return columns_; }

  private:
    expected<line_kind, std::string> cut_header(std::string_view rest);
    expected<line_kind, std::string> cut_update(std::string_view verb, std::string_view rest);
    std::string take_cells(std::string_view rest);

    std::vector<std::string> columns_{"next_hop"};
    bool has_begun_ = false; // there was a header or an update
    update_line update_;
    std::vector<std::string_view> cells_;
    std::deque<std::string> unquoted_; // texts of cells that contain quotes; they do not move
};

// Returns why the texts cannot be written in a line of updates or its header and read back, as words that
// follow the texts' name in a sentence; null if they can.
const char* update_refusal(std::span<const std::string_view> texts) noexcept;

// Writes a header that names the columns of the lines that follow.
void append_update_header(std::span<const std::string_view> columns, std::string& out);
// Writes an announcement of the prefix `where`, with one cell for each column.
void append_announcement(std::string_view where, std::span<const std::string_view> cells, std::string& out);
void append_withdrawal(std::string_view where, std::string& out);

} // namespace fingerpost::io
