// Walks a row once: field by field as far as fields are wanted, then to its end.
#include "cli/enrich/csv_rows.hpp"

#include <cstring>

namespace fingerpost::cli::enrich {
namespace {

const char* find(const char* at, const char* end, char wanted) {
    const void* const found = std::memchr(at, wanted, static_cast<std::size_t>(end - at));
    return found != nullptr ? static_cast<const char*>(found) : end;
}

// Behind the closing quote, or the end where there is none; `at` is behind the opening one.
const char* after_quotes(const char* at, const char* end) {
    for (;;) {
        at = find(at, end, '"');
        if (at == end)
            return end;
        if (at + 1 == end || at[1] != '"')
            return at + 1;
        at += 2;
    }
}

// The delimiter or line feed behind a field.
const char* field_end(const char* at, const char* end, csv_dialect dialect) {
    if (dialect.quotes && at != end && *at == '"')
        at = after_quotes(at + 1, end);
    while (at != end && *at != dialect.delimiter && *at != '\n')
        ++at;
    return at;
}

// The line feed behind a row of which the fields from `at` on are not wanted.
const char* row_end(const char* at, const char* end, csv_dialect dialect) {
    const char* const begin = at;
    for (;;) {
        const char* const line_feed = find(at, end, '\n');
        if (!dialect.quotes)
            return line_feed;
        const char* const quote = find(at, line_feed, '"');
        if (quote == line_feed)
            return line_feed;
        const bool opens = quote == begin || quote[-1] == dialect.delimiter;
        at = opens ? after_quotes(quote + 1, end) : quote + 1;
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
    for (std::size_t column = 0; found < wanted.size(); ++column) {
        const char* const stop = field_end(at, end, dialect);
        if (column == wanted[found])
            fields[found++] = view(at, stop);
        at = stop;
        if (stop == end || *stop == '\n')
            break;
        ++at;
    }
    // Behind a delimiter a field begins; behind anything else the row has ended.
    if (at != end && *at != '\n')
        at = row_end(at, end, dialect);
    csv_row row{at, at != end ? at + 1 : end, found};
    if (at != end && at != begin && at[-1] == '\r') {
        --row.end;
        if (found != 0 && fields[found - 1].data() + fields[found - 1].size() == at)
            fields[found - 1].remove_suffix(1);
    }
    return row;
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
