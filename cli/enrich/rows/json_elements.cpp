// Finds the end of each element without checking it again.
#include "cli/enrich/rows/json_elements.hpp"

#include <algorithm>
#include <cstddef>

namespace fingerpost::cli::enrich {
namespace {

// Returns the position after the string at the start of a text.
std::size_t string_end(std::string_view text) {
    std::size_t at = 1;
    while (text[at] != '"')
        at += text[at] == '\\' ? 2 : 1;
    return at + 1;
}

// Returns the position after the value at the start of a text, up to a comma or bracket of the enclosing
// array.
std::size_t value_end(std::string_view text) {
    std::size_t depth = 0;
    for (std::size_t at = 0;;) {
        const char c = text[at];
        if (depth == 0 && (c == ',' || c == ']'))
            return at;
        if (c == '{' || c == '[')
            ++depth;
        else if (c == '}' || c == ']')
            --depth;
        at += c == '"' ? string_end(text.substr(at)) : 1;
    }
}

} // namespace

json_member next_element(std::string_view& rest) {
    rest.remove_prefix(1);
    rest.remove_prefix(std::min(rest.find_first_not_of(json_blanks), rest.size()));
    if (rest.empty() || rest.front() == ']')
        return {};
    const std::size_t end = value_end(rest);
    std::string_view text = rest.substr(0, end);
    rest.remove_prefix(end);
    text = text.substr(0, text.find_last_not_of(json_blanks) + 1);
    if (text == "null")
        return {.kind = json_member::what::null, .text = text};
    if (text.front() != '"')
        return {.kind = json_member::what::other, .text = text};
    text = text.substr(1, text.size() - 2);
    return {.kind = json_member::what::string,
            .has_escapes = text.find('\\') != std::string_view::npos,
            .text = text};
}

} // namespace fingerpost::cli::enrich
