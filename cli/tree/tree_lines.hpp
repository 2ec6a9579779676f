// Rows of a forest as lines, with branches drawn before the names.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fingerpost::cli {

struct tree_row {
    std::size_t level = 0; // at most one more than that of the row before
    std::string name;      // after the branches
    std::string facts{};   // in a column after all names
};

struct tree_look {
    bool draws_lines = true; // characters that are not ASCII
    bool color = false;
    std::size_t width = 0; // of a line in characters; 0: as long as it is
};

// Rows are depth first, each parent before its children. Text that is unsafe for a terminal is escaped. Lines
// that are too long end with an ellipsis.
std::string tree_lines(const std::vector<tree_row>& rows, const tree_look& look);

} // namespace fingerpost::cli
