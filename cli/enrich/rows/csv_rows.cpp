// Walks a row once: field by field up to the last requested field, then to its end.
#include "cli/enrich/rows/csv_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>

namespace fingerpost::cli::enrich {
namespace {

const char* find(const char* at, const char* end, char byte) {
    const void* const match = std::memchr(at, byte, static_cast<std::size_t>(end - at));
    return match != nullptr ? static_cast<const char*>(match) : end;
}

// Returns the closing quote, or nullptr if there is none. `at` is after the opening quote.
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

// Returns the position after the closing quote, or the end.
const char* after_quotes(const char* at, const char* end) {
    const char* const quote = closing_quote(at, end);
    return quote != nullptr ? quote + 1 : end;
}

// Returns the delimiter or line feed after a field.
const char* field_end(const char* at, const char* end, csv_dialect dialect) {
    if (dialect.quotes && at != end && *at == '"')
        at = after_quotes(at + 1, end);
    while (at != end && *at != dialect.delimiter && *at != '\n')
        ++at;
    return at;
}

using sixteen_bytes [[gnu::vector_size(16)]] = unsigned char;

sixteen_bytes load(const char* at) {
    sixteen_bytes bytes;
    std::memcpy(&bytes, at, sizeof bytes);
    return bytes;
}
// 0xff where two bytes are equal.
sixteen_bytes equal(sixteen_bytes a, sixteen_bytes b) {
    return reinterpret_cast<sixteen_bytes>(a == b);
}

// Result for part of a row.
struct counted {
    std::size_t delimiters;
    bool has_quote;
};

// Handles sixteen bytes at a time, because every row is counted to its end. Bytes from `before` on may be
// read as well.
counted count_in(const char* before, const char* at, const char* end, char delimiter) {
    constexpr std::ptrdiff_t width = sizeof(sixteen_bytes);
    constexpr std::uint64_t even = 0x00ff'00ff'00ff'00ff;
    constexpr sixteen_bytes places{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const sixteen_bytes delimiters = sixteen_bytes{} + static_cast<unsigned char>(delimiter);
    const sixteen_bytes quotes = sixteen_bytes{} + static_cast<unsigned char>('"');
    counted result{0, false};
    if (end - before < width) {
        result.delimiters = static_cast<std::size_t>(std::count(at, end, delimiter));
        result.has_quote = std::find(at, end, '"') != end;
        return result;
    }
    sixteen_bytes any_quotes{};
    while (at != end) {
        sixteen_bytes counts{};
        // At most as many rounds as a byte can count. The last round covers the last bytes.
        const std::ptrdiff_t rounds = std::min<std::ptrdiff_t>((end - at) / width, 254);
        for (const char* const stop = at + rounds * width; at != stop; at += width) {
            const sixteen_bytes bytes = load(at);
            counts -= equal(bytes, delimiters);
            any_quotes |= equal(bytes, quotes);
        }
        if (end - at < width) {
            const sixteen_bytes bytes = load(end - width);
            const sixteen_bytes known = sixteen_bytes{} + static_cast<unsigned char>(width - (end - at));
            const auto is_new = reinterpret_cast<sixteen_bytes>(places >= known);
            counts -= equal(bytes, delimiters) & is_new;
            any_quotes |= equal(bytes, quotes) & is_new;
            at = end;
        }
        std::uint64_t halves[2];
        std::memcpy(halves, &counts, sizeof halves);
        for (const std::uint64_t half : halves)
            result.delimiters += ((half & even) + (half >> 8 & even)) * 0x0001'0001'0001'0001 >> 48;
    }
    std::uint64_t halves[2];
    std::memcpy(halves, &any_quotes, sizeof halves);
    result.has_quote = (halves[0] | halves[1]) != 0;
    return result;
}

// Fields in quotes usually have a single delimiter between them, too little for sixteen bytes at a time.
std::size_t count_between(const char* row, const char* at, const char* end, char delimiter) {
    constexpr std::ptrdiff_t few = 8;
    if (end - at > few)
        return count_in(row, at, end, delimiter).delimiters;
    std::size_t delimiters = 0;
    for (; at != end; ++at)
        delimiters += *at == delimiter ? 1 : 0;
    return delimiters;
}

// Returns the line feed after a row that begins at `row`, and counts its fields from `at` on, which were not
// requested.
const char* row_end(const char* row, const char* at, const char* end, csv_dialect dialect,
                    std::size_t& columns) {
    const char* const begin = at;
    const char* line_feed = find(at, end, '\n');
    ++columns;
    // If the first field is quoted, others usually are too.
    if (!dialect.quotes || at == line_feed || *at != '"') {
        const counted rest = count_in(row, at, line_feed, dialect.delimiter);
        if (!rest.has_quote || !dialect.quotes) {
            columns += rest.delimiters;
            return line_feed;
        }
    }
    for (;;) {
        const char* const quote = find(at, line_feed, '"');
        columns += count_between(row, at, quote, dialect.delimiter);
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

bool parts_words(char c) {
    return c == ' ' || c == '\t';
}

// Returns the end of a field between blanks. Quotes count if the closing quote ends the field.
const char* word_end(const char* at, const char* end, bool quotes) {
    if (quotes && *at == '"') {
        const char* const quote = closing_quote(at + 1, end);
        if (quote != nullptr && (quote + 1 == end || parts_words(quote[1])))
            return quote + 1;
    }
    return std::find_if(at, end, parts_words);
}

// Reads a row with columns between blanks, which is a single line.
csv_row read_words(const char* at, const char* end, csv_dialect dialect, std::span<const std::size_t> numbers,
                   std::span<std::string_view> fields) {
    const char* const line_feed = find(at, end, '\n');
    csv_row row{at, line_feed != end ? line_feed + 1 : end, 0, 0};
    const bool has_return = line_feed != end && line_feed != at && line_feed[-1] == '\r';
    const char* const stop = has_return ? line_feed - 1 : line_feed;
    for (;;) {
        at = std::find_if_not(at, stop, parts_words);
        if (at == stop)
            return row;
        row.end = word_end(at, stop, dialect.quotes);
        if (row.field_count < numbers.size() && row.columns == numbers[row.field_count])
            fields[row.field_count++] = view(at, row.end);
        ++row.columns;
        at = row.end;
    }
}

} // namespace

csv_row read_csv_row(const char* at, const char* end, csv_dialect dialect,
                     std::span<const std::size_t> numbers, std::span<std::string_view> fields) {
    if (dialect.has_blanks())
        return read_words(at, end, dialect, numbers, fields);
    const char* const begin = at;
    std::size_t count = 0;
    std::size_t columns = 0;
    bool goes_on = true; // whether a field begins at `at`
    while (goes_on && count < numbers.size()) {
        const char* const stop = field_end(at, end, dialect);
        if (columns++ == numbers[count])
            fields[count++] = view(at, stop);
        goes_on = stop != end && *stop != '\n';
        at = goes_on ? stop + 1 : stop;
    }
    if (goes_on)
        at = row_end(begin, at, end, dialect, columns);
    csv_row row{at, at != end ? at + 1 : end, count, columns};
    if (at != end && at != begin && at[-1] == '\r') {
        --row.end;
        if (count != 0 && fields[count - 1].data() + fields[count - 1].size() == at)
            fields[count - 1].remove_suffix(1);
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

std::vector<std::string_view> csv_fields(std::string_view row, csv_dialect dialect) {
    const char* const end = row.data() + row.size();
    std::vector<std::size_t> numbers(read_csv_row(row.data(), end, dialect, {}, {}).columns);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    std::vector<std::string_view> fields(numbers.size());
    read_csv_row(row.data(), end, dialect, numbers, fields);
    return fields;
}

std::vector<std::string> csv_texts(std::string_view row, csv_dialect dialect) {
    std::vector<std::string> texts;
    std::string scratch;
    for (const std::string_view field : csv_fields(row, dialect))
        texts.emplace_back(csv_text(field, dialect, scratch));
    return texts;
}

} // namespace fingerpost::cli::enrich
