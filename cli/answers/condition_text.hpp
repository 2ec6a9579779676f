// The conditions of --where, as given.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fingerpost::cli {

// One `COLUMN=VALUE` or `COLUMN!=VALUE`.
struct condition_text {
    std::string column;
    std::string value;
    bool is_equal = true;
};

// Reads one; a backslash before `=` or `!` in the name makes it part of the name. Returns the reason, in
// words, if it is none, else an empty text. An empty value is that of a route without one.
std::string read_condition(std::string_view text, std::vector<condition_text>& into);

} // namespace fingerpost::cli
