// Splits a condition into column, operator and value.
#include "cli/answers/condition_text.hpp"

#include <utility>

#include "io/format/parts/input_error.hpp"

namespace fingerpost::cli {

std::string read_condition(std::string_view text, std::vector<condition_text>& into) {
    condition_text condition;
    std::size_t at = 0;
    for (; at < text.size() && text[at] != '='; ++at) {
        if (text.substr(at).starts_with("!="))
            break;
        const bool is_escape = text[at] == '\\' && at + 1 < text.size() &&
                               std::string_view("=!\\").find(text[at + 1]) != text.npos;
        at += is_escape ? 1 : 0;
        condition.column += text[at];
    }
    if (at == text.size() || condition.column.empty())
        return io::quoted(text) + " is not COLUMN=VALUE";
    condition.is_equal = text[at] == '=';
    condition.value = text.substr(at + (condition.is_equal ? 1 : 2));
    into.push_back(std::move(condition));
    return {};
}

} // namespace fingerpost::cli
