// Writes the messages of input errors.
#include "io/format/parts/input_error.hpp"

#include <algorithm>
#include <cstddef>

#include "io/format/parts/printable.hpp"

namespace fingerpost::io {

std::string quoted(std::string_view text) {
    constexpr std::size_t limit = 80;
    std::size_t size = 0;
    while (size < text.size() && size < limit)
        size += std::max<std::size_t>(utf8_size(text.substr(size)), 1);
    return "'" + printable(text.substr(0, size)) + (text.size() > size ? "...'" : "'");
}

std::string message(const input_error& error) {
    std::string out = printable(error.file);
    if (error.line != 0)
        out += (out.empty() ? "line " : ":") + std::to_string(error.line);
    if (!out.empty())
        out += ": ";
    if (!error.text.empty())
        out += quoted(error.text) + ": ";
    return out + error.reason;
}

} // namespace fingerpost::io
