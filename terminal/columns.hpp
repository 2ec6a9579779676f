// Text in columns that are as wide as their widest cell.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fingerpost::cli {

class columns {
  public:
    struct head {
        std::string title;
        bool is_number = false; // set to the right
    };

    explicit columns(std::vector<head> heads);

    // As many cells as there are columns. What a terminal should not be shown is escaped.
    void add(std::vector<std::string> cells);
    bool is_empty() const noexcept { return rows_.size() == 1; }
    // The titles, then the rows, two blanks between columns.
    std::string text() const;

  private:
    std::vector<head> heads_;
    std::vector<std::vector<std::string>> rows_; // the titles first
    std::vector<std::size_t> widths_;            // in characters
};

} // namespace fingerpost::cli
