// Tests the magic bytes, then the first lines that are not comments.
#include "io/format/table_format.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "io/format/csv/csv_row.hpp"
#include "io/format/csv/csv_start.hpp"
#include "io/format/parts/words.hpp"

namespace fingerpost::io {

#define FINGERPOST_FORMAT_DECLARATION(name) extern const format_entry name##_format;
FINGERPOST_FOR_EACH_FORMAT(FINGERPOST_FORMAT_DECLARATION)
#undef FINGERPOST_FORMAT_DECLARATION

namespace {

#define FINGERPOST_FORMAT_VALUE(name) table_format::name,
constexpr std::array all_formats{FINGERPOST_FOR_EACH_FORMAT(FINGERPOST_FORMAT_VALUE)};
#undef FINGERPOST_FORMAT_VALUE

#define FINGERPOST_FORMAT_ADDRESS(name) &name##_format,
constexpr std::array all_entries{FINGERPOST_FOR_EACH_FORMAT(FINGERPOST_FORMAT_ADDRESS)};
#undef FINGERPOST_FORMAT_ADDRESS

// Number of unrecognised lines that are skipped at most, if faulty lines may be skipped.
constexpr std::uint64_t max_skipped_lines = 16;

template <class F>
std::optional<table_format> last_entry(F holds) {
    for (std::size_t i = all_formats.size(); i-- != 0;)
        if (holds(*all_entries[i]))
            return all_formats[i];
    return std::nullopt;
}

bool is_json(std::string_view start) {
    if (start.starts_with('{'))
        return true;
    const std::size_t inner = start.find_first_not_of(" \t\r\n", 1);
    return start.starts_with('[') && inner != std::string_view::npos &&
           (start[inner] == '{' || start[inner] == ']' || start[inner] == '"');
}

// End of the header of those archives whose mark is in it.
constexpr std::size_t archive_header_bytes = 263;

// Whether the text begins with a byte order mark of UTF-16 or UTF-32, or with two ASCII characters in UTF-16.
bool is_utf16(std::string_view start) {
    if (start.starts_with("\xff\xfe") || start.starts_with("\xfe\xff"))
        return true;
    const auto is_pair = [&](std::size_t zero) {
        return start.size() >= 4 && start[zero] == '\0' && start[zero + 2] == '\0' &&
               start[1 - zero] != '\0' && start[3 - zero] != '\0' && !is_control(start[3 - zero]) &&
               start[3 - zero] > 0;
    };
    return is_pair(0) || is_pair(1);
}

// Returns why no format can read the input; empty if nothing shows that.
std::string known_misfit(std::string_view start) {
    if (const std::string_view archive = archive_name(start); !archive.empty())
        return "a " + std::string(archive) + " archive; unpack it, and use the file with the table";
    return is_utf16(start) ? "text in UTF-16; convert it to UTF-8, for example with iconv -f UTF-16 -t UTF-8"
                           : std::string();
}

// Returns why a line is not a header of a table; empty if it does not look like a header.
std::string header_fault(std::string_view line, const table_options& options) {
    csv_row row;
    if (line.find('\0') != std::string_view::npos || !row.cut(line, csv_separator(line)) ||
        row.fields().size() < 2 || is_json(line))
        return {};
    std::vector<std::string> names;
    for (const std::string_view field : row.fields())
        names.emplace_back(trimmed(field));
    const auto network = find_network(names, options.network);
    if (!network)
        return network.error();
    return advised("no column with prefixes in " + quoted(line), options.advice.network);
}

std::string no_format_fault(std::string_view line, const table_options& options) {
    if (std::string fault = header_fault(line, options); !fault.empty())
        return fault;
    const bool is_binary = line.find('\0') != std::string_view::npos;
    return advised(is_binary
                       ? "not a table: it has NUL bytes and is not a MaxMind DB, an MRT file or an image"
                       : "not a table: no known format begins with " + quoted(line),
                   options.advice.format);
}

// The first lines, without those that all text formats skip.
class first_lines {
  public:
    first_lines(std::string_view start, bool is_complete) : rest_(start), is_complete_(is_complete) {}
    // Returns nothing if there is no further line, or only a part of one.
    std::optional<std::string_view> next() {
        while (!rest_.empty()) {
            const std::size_t end = rest_.find('\n');
            if (end == std::string_view::npos && !is_complete_)
                return std::nullopt;
            const std::string_view line = without_return(rest_.substr(0, end));
            rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
            std::string_view inner = line;
            skip_blanks(inner);
            if (!inner.empty() && (inner[0] != '#' || names_in_comment(line)))
                return line;
        }
        return std::nullopt;
    }

  private:
    std::string_view rest_;
    bool is_complete_;
};

// Returns whether the start of a JSON document has the end of an object with members: an empty object shows
// no format.
bool has_object_end(std::string_view start) {
    for (std::size_t end = start.find('}'); end != std::string_view::npos; end = start.find('}', end + 1)) {
        const std::size_t before = start.substr(0, end).find_last_not_of(" \t\r\n");
        if (before == std::string_view::npos || start[before] != '{')
            return true;
    }
    return false;
}

detection detect_text(std::string_view start, bool is_complete, const table_options& options) {
    const std::size_t blanks = std::min(start.find_first_not_of(" \t\r\n"), start.size());
    const std::string_view text = start.substr(blanks);
    if (text.empty() && is_complete)
        return {.format = table_format::text};
    if (is_json(text)) {
        // An array of texts; objects occur in other formats too.
        if (text.find_first_of("{\"") != text.find('{'))
            return {.format = table_format::json};
        if (!has_object_end(text) && !is_complete)
            return {.needs_more = true};
        return {.format = last_entry(
                    [&](const format_entry& entry) { return entry.has_object && entry.has_object(text); })};
    }
    first_lines lines(start, is_complete);
    std::optional<std::string_view> line = lines.next();
    std::optional<std::string_view> first = line;
    for (std::uint64_t skipped = 0; line;) {
        const auto next = lines.next();
        if (!next && !is_complete)
            break;
        const detected_line at{*line, next.value_or(""), skipped == 0};
        if (const auto format = last_entry(
                [&](const format_entry& entry) { return entry.has_line && entry.has_line(at, options); }))
            return {.format = format};
        // Names in a comment that are not names of a table are an ordinary comment.
        if (names_in_comment(*line))
            first = skipped == 0 ? next : first;
        else if (skipped++ == std::min(options.skip_bad, max_skipped_lines))
            return {.reason = no_format_fault(*first, options)};
        line = next;
    }
    if (!is_complete)
        return {.needs_more = true};
    if (first)
        return {.reason = no_format_fault(*first, options)};
    return {.format = table_format::text};
}

} // namespace

std::string_view archive_name(std::string_view start) {
    struct mark {
        std::size_t at;
        std::string_view bytes;
        std::string_view name;
    };
    constexpr std::array<mark, 5> marks{{{0, "PK\x03\x04", "zip"},
                                         {0, "PK\x05\x06", "zip"},
                                         {0, "7z\xbc\xaf\x27\x1c", "7z"},
                                         {0, "Rar!\x1a\x07", "rar"},
                                         {257, "ustar", "tar"}}};
    for (const mark& archive : marks)
        if (start.size() > archive.at && start.substr(archive.at).starts_with(archive.bytes))
            return archive.name;
    return {};
}

std::span<const table_format> table_formats() noexcept {
    return all_formats;
}

const format_entry& entry_of(table_format format) noexcept {
    return *all_entries[static_cast<std::size_t>(format)];
}

detection detect_format(std::string_view start, bool is_complete, const table_options& options) {
    if (const auto format =
            last_entry([&](const format_entry& entry) { return entry.has_magic && entry.has_magic(start); }))
        return {.format = format};
    is_complete = is_complete || start.size() >= max_detected_bytes;
    if (std::string reason = known_misfit(start); !reason.empty())
        return {.reason = std::move(reason)};
    if (!is_complete && start.size() < archive_header_bytes && start.find('\0') != std::string_view::npos)
        return {.needs_more = true};
    // An MRT header may still follow; a text this short is not a complete file.
    if (start.size() < 12 && !is_complete)
        return {.needs_more = true};
    return detect_text(without_byte_order_mark(start), is_complete, options);
}

} // namespace fingerpost::io
