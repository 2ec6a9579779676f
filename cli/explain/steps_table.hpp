// The steps of a lookup as rows for people.
#pragma once

#include <cstddef>
#include <string>

#include "cli/explain/explanation.hpp"
#include "cli/explain/painter.hpp"

namespace fingerpost::cli {

// In lines of at most `width` characters, as far as words permit: columns that say least are left out, and
// what a step finds gets a line of its own. 0: one line a step with all columns.
std::string steps_table(const explained_lookup& lookup, const explanation& e, const painter& paint,
                        std::size_t width);

} // namespace fingerpost::cli
