// The conditions of --where as text.
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

// Reads one condition. A backslash before `=` or `!` makes it part of the column name. Returns the reason if
// the text is invalid, else an empty text. An empty value matches routes without a value.
std::string read_condition(std::string_view text, std::vector<condition_text>& into);

} // namespace fingerpost::cli
