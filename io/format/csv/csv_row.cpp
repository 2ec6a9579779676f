// Cuts rows without quotes eight bytes at a time.
#include "io/format/csv/csv_row.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "fingerpost/base/bits.hpp"
#include "io/format/parts/words.hpp"

namespace fingerpost::io {
namespace {

// Finds a byte in eight bytes.
class byte_finder {
  public:
    explicit byte_finder(char byte) noexcept : pattern_(ones * static_cast<unsigned char>(byte)) {}
    // Sets the highest bit of each byte that equals the byte.
    std::uint64_t in(std::uint64_t bytes) const noexcept {
        constexpr std::uint64_t low = ones * 0x7f;
        const std::uint64_t differences = bytes ^ pattern_; // no byte of the sum below exceeds 0xff
        return ~(((differences & low) + low) | differences | low);
    }

  private:
    static constexpr std::uint64_t ones = 0x0101'0101'0101'0101;
    std::uint64_t pattern_;
};

} // namespace

// `rest` begins with a quote.
std::string_view csv_row::take_quoted(std::string_view& rest) {
    const std::size_t start = unquoted_.size();
    for (std::size_t at = 1;;) {
        const std::size_t quote = std::min(rest.find('"', at), rest.size());
        unquoted_ += rest.substr(at, quote - at);
        at = quote + 1;
        if (at < rest.size() && rest[at] == '"') {
            unquoted_ += '"';
            ++at;
            continue;
        }
        rest.remove_prefix(std::min(at, rest.size()));
        return std::string_view(unquoted_).substr(start);
    }
}

bool csv_row::cut(std::string_view row, char separator) {
    fields_.clear();
    has_quotes_ = true;
    if (separator == ' ')
        return cut_words(row);
    if (cut_plain(row, separator)) {
        has_quotes_ = false;
        return true;
    }
    fields_.clear();
    return cut_quoted(row, separator);
}

// Returns false if the row has a quote; the fields are then invalid.
bool csv_row::cut_plain(std::string_view row, char separator) {
    constexpr std::size_t width = sizeof(std::uint64_t);
    const byte_finder separators(separator);
    const byte_finder quotes('"');
    std::size_t begin = 0;
    // Cuts at the separators in the eight bytes from `at` on, except those before `from`.
    const auto cut_at = [&](std::size_t at, std::size_t from) {
        const std::uint64_t bytes = load_little<std::uint64_t>(row.data() + at);
        if (quotes.in(bytes) != 0)
            return false;
        std::uint64_t ends = separators.in(bytes) >> 8 * (from - at) << 8 * (from - at);
        for (; ends != 0; ends &= ends - 1) {
            const std::size_t end = at + static_cast<std::size_t>(std::countr_zero(ends)) / 8;
            fields_.push_back(row.substr(begin, end - begin));
            begin = end + 1;
        }
        return true;
    };
    std::size_t at = 0;
    for (; row.size() - at >= width; at += width)
        if (!cut_at(at, at))
            return false;
    if (row.size() >= width) {
        if (at != row.size() && !cut_at(row.size() - width, at))
            return false;
    } else {
        for (; at < row.size(); ++at) {
            if (row[at] == '"')
                return false;
            if (row[at] == separator) {
                fields_.push_back(row.substr(begin, at - begin));
                begin = at + 1;
            }
        }
    }
    fields_.push_back(row.substr(begin));
    return true;
}

bool csv_row::cut_quoted(std::string_view row, char separator) {
    unquoted_.clear();
    // Reserved so that it does not move while fields point to it.
    unquoted_.reserve(row.size());
    for (std::string_view rest = row;;) {
        if (rest.starts_with('"')) {
            fields_.push_back(take_quoted(rest));
            if (rest.empty())
                return true;
            if (rest[0] != separator)
                return false;
            rest.remove_prefix(1);
            continue;
        }
        const std::size_t end = rest.find(separator);
        fields_.push_back(end == 0 || rest.empty() ? missing_cell : rest.substr(0, end));
        if (end == std::string_view::npos)
            return true;
        rest.remove_prefix(end + 1);
    }
}

bool csv_row::cut_words(std::string_view row) {
    unquoted_.clear();
    unquoted_.reserve(row.size());
    for (std::string_view rest = trimmed(row); !rest.empty(); skip_blanks(rest)) {
        if (rest.starts_with('"')) {
            fields_.push_back(take_quoted(rest));
            if (!rest.empty() && !is_blank(rest[0]))
                return false;
            continue;
        }
        const std::size_t end = std::min(rest.find_first_of(" \t"), rest.size());
        fields_.push_back(rest.substr(0, end));
        rest.remove_prefix(end);
    }
    return true;
}

} // namespace fingerpost::io
