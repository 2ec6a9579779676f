// Text in columns that are as wide as their widest cells.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fingerpost::cli {

// Returns the number of characters of UTF-8 text: bytes that do not begin a character are not counted.
std::size_t characters(std::string_view text);

class columns {
  public:
    struct head {
        std::string title;
        bool is_number = false; // aligned right
    };

    explicit columns(std::vector<head> heads);

    // Adds a row, with one cell for each column. Text that is unsafe for a terminal is escaped.
    void add(std::vector<std::string> cells);
    bool is_empty() const noexcept { return rows_.size() == 1; }
    // Returns the titles, then the rows, with two blanks between columns.
    std::string text() const;

  private:
    std::vector<head> heads_;
    std::vector<std::vector<std::string>> rows_; // including the titles, which are first
    std::vector<std::size_t> widths_;            // in characters
};

} // namespace fingerpost::cli
