// Rows of a forest as lines, with the branches drawn in front of them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fingerpost::cli {

struct tree_row {
    std::size_t level = 0; // at most one more than that of the row before
    std::string name;      // stands behind the branches
    std::string facts{};   // in a column of their own, behind all names
};

struct tree_look {
    bool draws_lines = true; // characters that are not ASCII
    bool color = false;
    std::size_t width = 0; // of a line in characters; 0: as long as it is
};

// Rows are depth first, each parent before its children. Text that is unsafe for a terminal is escaped. What
// a line has no room for is cut, and ends with `...` or the one character for it.
std::string tree_lines(const std::vector<tree_row>& rows, const tree_look& look);

} // namespace fingerpost::cli
