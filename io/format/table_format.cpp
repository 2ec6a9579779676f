// Looks at magic bytes, then at the first lines that are not comments.
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

// Where wrong lines are skipped, so many that tell nothing are passed over.
constexpr std::uint64_t max_passed_over = 16;

template <class F>
std::optional<table_format> last_that(F holds) {
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

// The end of an archive's header, for those that have their mark there.
constexpr std::size_t archive_header_bytes = 263;

// A byte order mark of UTF-16 or UTF-32, or two ASCII characters of UTF-16 without one.
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

// Why an input that no format recognises can be in none of them; empty if nothing shows it.
std::string known_misfit(std::string_view start) {
    if (const std::string_view archive = archive_name(start); !archive.empty())
        return "a " + std::string(archive) + " archive: unpack it, and name the file with the table";
    return is_utf16(start) ? "text in UTF-16; convert it to UTF-8, as with iconv -f UTF-16 -t UTF-8"
                           : std::string();
}

// Why a line is no header of a table; nothing if it does not look like one.
std::string header_fault(std::string_view line, const table_options& options) {
    csv_row row;
    if (line.find('\0') != std::string_view::npos || !row.cut(line, csv_separator(line)) ||
        row.fields().size() < 2 || is_json(line))
        return {};
    std::vector<std::string> names;
    for (const std::string_view field : row.fields())
        names.emplace_back(trimmed(field));
    const auto found = find_network(names, options.network);
    if (!found)
        return found.error();
    return advised("no column with prefixes in " + quoted(line), options.advice.network);
}

std::string none_of_them(std::string_view line, const table_options& options) {
    if (std::string fault = header_fault(line, options); !fault.empty())
        return fault;
    const bool is_binary = line.find('\0') != std::string_view::npos;
    return advised(is_binary
                       ? "not a table: it has NUL bytes and is not a MaxMind DB, an MRT file or an image"
                       : "not a table: no known format begins like " + quoted(line),
                   options.advice.format);
}

// The first lines, without those that every text format skips.
class first_lines {
  public:
    first_lines(std::string_view start, bool is_all) : rest_(start), is_all_(is_all) {}
    // Nothing if there is no further line, or only a part of one.
    std::optional<std::string_view> next() {
        while (!rest_.empty()) {
            const std::size_t end = rest_.find('\n');
            if (end == std::string_view::npos && !is_all_)
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
    bool is_all_;
};

// Whether the start of a JSON document has the end of an object with members: an empty one shows no format.
bool has_object_end(std::string_view start) {
    for (std::size_t at = start.find('}'); at != std::string_view::npos; at = start.find('}', at + 1)) {
        const std::size_t before = start.substr(0, at).find_last_not_of(" \t\r\n");
        if (before == std::string_view::npos || start[before] != '{')
            return true;
    }
    return false;
}

detection detect_text(std::string_view start, bool is_all, const table_options& options) {
    const std::size_t blanks = std::min(start.find_first_not_of(" \t\r\n"), start.size());
    const std::string_view begun = start.substr(blanks);
    if (begun.empty() && is_all)
        return {.format = table_format::text};
    if (is_json(begun)) {
        // An array of texts; objects are in other formats too.
        if (begun.find_first_of("{\"") != begun.find('{'))
            return {.format = table_format::json};
        if (!has_object_end(begun) && !is_all)
            return {.needs_more = true};
        return {.format = last_that(
                    [&](const format_entry& one) { return one.has_object && one.has_object(begun); })};
    }
    first_lines lines(start, is_all);
    std::optional<std::string_view> line = lines.next();
    std::optional<std::string_view> first = line;
    for (std::uint64_t passed = 0; line;) {
        const auto next = lines.next();
        if (!next && !is_all)
            break;
        const detected_line at{*line, next.value_or(""), passed == 0};
        if (const auto format =
                last_that([&](const format_entry& one) { return one.has_line && one.has_line(at, options); }))
            return {.format = format};
        // Names in a comment that are not those of a table are a comment like all others.
        if (names_in_comment(*line))
            first = passed == 0 ? next : first;
        else if (passed++ == std::min(options.skip_bad, max_passed_over))
            return {.reason = none_of_them(*first, options)};
        line = next;
    }
    if (!is_all)
        return {.needs_more = true};
    if (first)
        return {.reason = none_of_them(*first, options)};
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
    for (const mark& one : marks)
        if (start.size() > one.at && start.substr(one.at).starts_with(one.bytes))
            return one.name;
    return {};
}

std::span<const table_format> table_formats() noexcept {
    return all_formats;
}

const format_entry& entry_of(table_format format) noexcept {
    return *all_entries[static_cast<std::size_t>(format)];
}

detection detect_format(std::string_view start, bool is_all, const table_options& options) {
    if (const auto format =
            last_that([&](const format_entry& one) { return one.has_magic && one.has_magic(start); }))
        return {.format = format};
    is_all = is_all || start.size() >= max_detected_bytes;
    if (std::string reason = known_misfit(start); !reason.empty())
        return {.reason = std::move(reason)};
    if (!is_all && start.size() < archive_header_bytes && start.find('\0') != std::string_view::npos)
        return {.needs_more = true};
    // MRT's header could still come: no text that short is a complete file.
    if (start.size() < 12 && !is_all)
        return {.needs_more = true};
    return detect_text(without_byte_order_mark(start), is_all, options);
}

} // namespace fingerpost::io
