// Colours of texts for terminals.
#pragma once

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace fingerpost::cli {

// Escape sequences for terminals (ECMA-48).
namespace style {
constexpr std::string_view bold = "1";
constexpr std::string_view green = "1;32";
constexpr std::string_view faint = "2";
constexpr std::string_view plain;
} // namespace style

class painter {
  public:
    explicit painter(bool color) : color_(color) {}

    // Line ends stay outside, because colour after them would reach the next line.
    std::string operator()(std::string_view look, std::string_view text) const {
        const std::size_t size = std::min(text.find_last_not_of('\n') + 1, text.size());
        if (!color_ || size == 0 || look.empty())
            return std::string(text);
        return fmt::format("\x1b[{}m{}\x1b[0m{}", look, text.substr(0, size), text.substr(size));
    }

  private:
    bool color_;
};

// The lines of a table, with the first and the last one coloured.
inline std::string paint_rows(const std::string& rows, const painter& paint, std::string_view first,
                              std::string_view last) {
    std::string out;
    for (std::size_t at = 0; at < rows.size();) {
        const std::size_t end = rows.find('\n', at) + 1;
        const std::string_view line = std::string_view(rows).substr(at, end - at);
        out += at == 0 ? paint(first, line) : end == rows.size() ? paint(last, line) : std::string(line);
        at = end;
    }
    return out;
}

} // namespace fingerpost::cli
