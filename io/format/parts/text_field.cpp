// Implements the quoting of CSV, and decides when it is needed.
#include "io/format/parts/text_field.hpp"

#include <algorithm>

#include "fingerpost/values/column_type.hpp"
#include "io/format/parts/words.hpp"

namespace fingerpost::io {

std::optional<std::string_view> take_quoted(std::string_view& rest, std::string& unescaped) {
    for (std::size_t at = 1;;) {
        const std::size_t quote = rest.find('"', at);
        if (quote == std::string_view::npos)
            return std::nullopt;
        if (rest.substr(quote + 1).starts_with('"')) {
            at = quote + 2;
            continue;
        }
        std::string_view field = rest.substr(1, quote - 1);
        rest.remove_prefix(quote + 1);
        if (at != 1) {
            unescaped.clear();
            for (std::size_t i = 0; i < field.size(); ++i) {
                unescaped += field[i];
                i += field[i] == '"' ? 1 : 0;
            }
            field = unescaped;
        }
        return field;
    }
}

bool has_control(std::string_view text) noexcept {
    return std::any_of(text.begin(), text.end(), is_control);
}

void append_quoted(std::string& out, std::string_view text) {
    out += '"';
    for (const char c : text) {
        if (c == '"')
            out += '"';
        out += c;
    }
    out += '"';
}

void append_text_field(std::string& out, std::string_view text) {
    const bool is_plain =
        !text.empty() && text[0] != '#' && text.find_first_of(" ,;|\"") == std::string_view::npos;
    if (is_plain)
        out += text;
    else
        append_quoted(out, text);
}

void append_text_value(std::string& out, std::string_view value) {
    if (!is_missing(value)) {
        out += ' ';
        append_text_field(out, value);
    }
    out += '\n';
}

} // namespace fingerpost::io
