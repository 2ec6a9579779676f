// What `fingerpost convert` can turn into what: a table of conversions, each a function.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/console.hpp"

namespace fingerpost::cli {

struct conversion {
    std::string_view to;
    std::string_view words; // what the output is, for help
    // Reads the file and writes to `out`; returns the exit code, or throws failure.
    int (*run)(const std::string& path, output& out);
};

std::span<const conversion> conversions();

int mrt_to_csv(const std::string& path, output& out);

} // namespace fingerpost::cli
