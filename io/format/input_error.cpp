// How input errors are put into words.
#include "io/format/input_error.hpp"

#include <cstddef>

namespace fingerpost::io {

std::string quoted(std::string_view text) {
    constexpr std::size_t limit = 80;
    constexpr char digits[] = "0123456789abcdef";
    std::string out = "'";
    for (const char c : text.substr(0, limit)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte != 0x7f) {
            out += c;
        } else {
            out += "\\x";
            out += digits[byte >> 4];
            out += digits[byte & 15];
        }
    }
    return out + (text.size() > limit ? "...'" : "'");
}

std::string message(const input_error& error) {
    std::string out = error.file;
    if (error.line != 0)
        out += (out.empty() ? "line " : ":") + std::to_string(error.line);
    if (!out.empty())
        out += ": ";
    if (!error.text.empty())
        out += quoted(error.text) + ": ";
    return out + error.reason;
}

} // namespace fingerpost::io
