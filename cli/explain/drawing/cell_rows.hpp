// Rows of cells with texts. Where space is short, the cells farthest from the wanted ones are left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/explain/drawing/shapes/piece.hpp"

namespace fingerpost::cli::drawing {

struct cell {
    std::string top{}; // small; may be empty, like the next
    std::string name{};
    std::string classes{};
    std::string attributes{};
    std::uint64_t slot = 0; // the first one that it stands for, and how many
    std::uint64_t slots = 1;
    bool is_wanted = false; // shown in any case, and its neighbours before others
};

// Rows of at most `width`, at most `most_rows` of them. A gap shows how many slots are left out. A name that
// is too wide for a row is left out of its cell. Exits are below the last row: for `slots`, which ascend.
piece rows_of(const std::vector<cell>& cells, double width, std::size_t most_rows,
              const std::vector<std::uint64_t>& slots);

} // namespace fingerpost::cli::drawing
