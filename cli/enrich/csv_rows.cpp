// Walks a row once: field by field as far as fields are wanted, then to its end.
#include "cli/enrich/csv_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace fingerpost::cli::enrich {
namespace {

const char* find(const char* at, const char* end, char wanted) {
    const void* const found = std::memchr(at, wanted, static_cast<std::size_t>(end - at));
    return found != nullptr ? static_cast<const char*>(found) : end;
}

// The closing quote, or nullptr where there is none; `at` is behind the opening one.
const char* closing_quote(const char* at, const char* end) {
    for (;;) {
        at = find(at, end, '"');
        if (at == end)
            return nullptr;
        if (at + 1 == end || at[1] != '"')
            return at;
        at += 2;
    }
}

// Behind the closing quote, or the end where there is none.
const char* after_quotes(const char* at, const char* end) {
    const char* const quote = closing_quote(at, end);
    return quote != nullptr ? quote + 1 : end;
}

// The delimiter or line feed behind a field.
const char* field_end(const char* at, const char* end, csv_dialect dialect) {
    if (dialect.quotes && at != end && *at == '"')
        at = after_quotes(at + 1, end);
    while (at != end && *at != dialect.delimiter && *at != '\n')
        ++at;
    return at;
}

// How often a character is between two places, sixteen bytes at once: every row is counted to its end.
std::size_t count_of(const char* at, const char* end, char wanted) {
    using vector [[gnu::vector_size(16)]] = unsigned char;
    constexpr std::ptrdiff_t width = sizeof(vector);
    constexpr std::uint64_t even = 0x00ff'00ff'00ff'00ff;
    const vector sought = vector{} + static_cast<unsigned char>(wanted);
    std::size_t count = 0;
    while (end - at >= width) {
        vector counts{};
        // As many rounds as a byte can count.
        const char* const stop = at + std::min<std::ptrdiff_t>((end - at) / width, 255) * width;
        for (; at != stop; at += width) {
            vector bytes;
            std::memcpy(&bytes, at, sizeof bytes);
            counts -= reinterpret_cast<vector>(bytes == sought);
        }
        std::uint64_t halves[2];
        std::memcpy(halves, &counts, sizeof halves);
        for (const std::uint64_t half : halves)
            count += ((half & even) + (half >> 8 & even)) * 0x0001'0001'0001'0001 >> 48;
    }
    return count + static_cast<std::size_t>(std::count(at, end, wanted));
}

// The line feed behind a row of which the fields from `at` on are not wanted; adds their number.
const char* row_end(const char* at, const char* end, csv_dialect dialect, std::size_t& columns) {
    const char* const begin = at;
    const char* line_feed = find(at, end, '\n');
    ++columns;
    for (;;) {
        const char* const quote = dialect.quotes ? find(at, line_feed, '"') : line_feed;
        columns += count_of(at, quote, dialect.delimiter);
        if (quote == line_feed)
            return line_feed;
        const bool opens = quote == begin || quote[-1] == dialect.delimiter;
        at = opens ? after_quotes(quote + 1, end) : quote + 1;
        if (at > line_feed)
            line_feed = find(at, end, '\n');
    }
}

std::string_view view(const char* begin, const char* end) {
    return {begin, static_cast<std::size_t>(end - begin)};
}

} // namespace

csv_row read_csv_row(const char* at, const char* end, csv_dialect dialect,
                     std::span<const std::size_t> wanted, std::span<std::string_view> fields) {
    const char* const begin = at;
    std::size_t found = 0;
    std::size_t columns = 0;
    bool goes_on = true; // a field begins at `at`
    while (goes_on && found < wanted.size()) {
        const char* const stop = field_end(at, end, dialect);
        if (columns++ == wanted[found])
            fields[found++] = view(at, stop);
        goes_on = stop != end && *stop != '\n';
        at = goes_on ? stop + 1 : stop;
    }
    if (goes_on)
        at = row_end(at, end, dialect, columns);
    csv_row row{at, at != end ? at + 1 : end, found, columns};
    if (at != end && at != begin && at[-1] == '\r') {
        --row.end;
        if (found != 0 && fields[found - 1].data() + fields[found - 1].size() == at)
            fields[found - 1].remove_suffix(1);
    }
    return row;
}

bool has_open_quote(std::string_view row, csv_dialect dialect) {
    const char* const end = row.data() + row.size();
    for (const char* at = row.data(); dialect.quotes && at < end;) {
        if (*at == '"' && closing_quote(at + 1, end) == nullptr)
            return true;
        at = field_end(at, end, dialect) + 1;
    }
    return false;
}

std::string_view csv_text(std::string_view raw, csv_dialect dialect, std::string& scratch) {
    if (!dialect.quotes || raw.empty() || raw[0] != '"')
        return raw;
    const std::size_t closing = raw.find('"', 1);
    if (closing + 1 == raw.size())
        return raw.substr(1, closing - 1);
    scratch.clear();
    bool open = true;
    for (std::size_t i = 1; i < raw.size(); ++i) {
        if (!open || raw[i] != '"')
            scratch += raw[i];
        else if (i + 1 < raw.size() && raw[i + 1] == '"')
            scratch += raw[i++];
        else
            open = false;
    }
    return scratch;
}

std::vector<std::string> csv_texts(std::string_view row, csv_dialect dialect) {
    std::vector<std::string> texts;
    std::string scratch;
    const char* at = row.data();
    const char* const end = at + row.size();
    for (;;) {
        const char* const stop = field_end(at, end, dialect);
        texts.emplace_back(csv_text(view(at, stop), dialect, scratch));
        if (stop == end || *stop == '\n')
            return texts;
        at = stop + 1;
    }
}

} // namespace fingerpost::cli::enrich
