// Looks at magic bytes, then at the first lines that are not comments.
#include "io/format/table_format.hpp"

#include <algorithm>
#include <vector>

#include "fingerpost/net/text.hpp"
#include "io/format/csv/csv.hpp"
#include "io/format/ip_route/ip_route.hpp"
#include "io/format/parts/table_columns.hpp"
#include "io/format/parts/words.hpp"

namespace fingerpost::io {
namespace {

// If wrong lines are skipped, so many lines that do not tell the format may be skipped.
constexpr std::uint64_t max_passed_over = 16;

// The types of RFC 6396 that are in use, and the deprecated one of BGP.
bool is_mrt(std::string_view start) {
    constexpr std::array<unsigned char, 10> types{5, 11, 12, 13, 16, 17, 32, 33, 48, 49};
    return start.size() >= 12 && start[4] == '\0' && start[6] == '\0' &&
           std::find(types.begin(), types.end(), static_cast<unsigned char>(start[5])) != types.end();
}

std::string_view first_word(std::string_view& rest) {
    skip_blanks(rest);
    const std::size_t size = std::min(rest.find_first_of(" \t"), rest.size());
    const std::string_view word = rest.substr(0, size);
    rest.remove_prefix(size);
    return word;
}

// No word of a CSV header looks like one: `prefix,in/out via x`.
bool starts_like_prefix(std::string_view word) {
    if (word.find_first_of(",;|\"") != std::string_view::npos)
        return false;
    return detect_family(word).has_value() || word.find('/') != std::string_view::npos || word == "default" ||
           (!word.empty() && word[0] >= '0' && word[0] <= '9');
}

// `default via 10.0.0.1 dev eth0`, `blackhole 10.0.0.0/8`, or a prefix whose next line contains its next
// hops.
bool is_ip_route(std::string_view line, std::string_view next) {
    const std::string_view word = first_word(line);
    const std::string_view second = first_word(line);
    if (is_route_type(word))
        return starts_like_prefix(second);
    if (!starts_like_prefix(word))
        return false;
    if (first_word(next) == "nexthop")
        return true;
    const std::string_view value = first_word(line);
    return is_route_key(second) && !value.empty() && value[0] != '#';
}

// `prefix "A, Inc."`: in CSV no quote begins behind a blank.
bool is_quoted_text(std::string_view line) {
    const std::size_t blank = line.find(' ');
    const std::size_t value = line.find_first_not_of(' ', std::min(blank, line.size()));
    const std::string_view word = line.substr(0, blank);
    return value != std::string_view::npos && line[value] == '"' &&
           (starts_like_prefix(word) || is_network_name(word));
}

// `ip` writes flags for every route, even if there are none.
bool is_ip_route_json(std::string_view start) {
    const std::string_view first = start.substr(0, start.find('}'));
    return first.find("\"dst\"") != std::string_view::npos &&
           first.find("\"flags\"") != std::string_view::npos;
}

// Whether repeated tabs align a prefix and a next hop. Read as TSV, such a line would have an empty value,
// and no error would be found.
bool is_aligned(const std::vector<std::string_view>& fields) {
    const auto filled = std::count_if(fields.begin(), fields.end(),
                                      [](std::string_view field) { return !trimmed(field).empty(); });
    return fields.size() > 2 && filled <= 2;
}

// A header with a column of networks, or rows with more than a prefix and a next hop.
bool is_csv(std::string_view line, const table_options& options) {
    if (is_quoted_text(line))
        return false;
    csv_row row;
    const char separator = csv_separator(line);
    if (!row.cut(line, separator))
        return false;
    const auto& fields = row.fields();
    if (separator == '\t' && is_aligned(fields))
        return false;
    if (is_csv_data(fields))
        return fields.size() > 2;
    if (fields.size() < 2 && options.network.empty())
        return false;
    std::vector<std::string> names;
    for (const std::string_view field : fields)
        names.emplace_back(trimmed(field));
    if (names.size() > 1000)
        return false;
    const auto network = find_network(names, options.network);
    return network && network->has_value();
}

bool is_text(std::string_view line) {
    if (line.starts_with('"'))
        line.remove_prefix(1);
    const std::size_t size = std::min(line.find_first_of(" \t,;|\""), line.size());
    const std::string_view word = line.substr(0, size);
    return starts_like_prefix(word) || is_network_name(word) || word.empty();
}

bool is_json(std::string_view start) {
    if (start.starts_with('{'))
        return true;
    const std::size_t inner = start.find_first_not_of(" \t\r\n", 1);
    return start.starts_with('[') && inner != std::string_view::npos &&
           (start[inner] == '{' || start[inner] == ']');
}

std::optional<table_format> format_of_line(std::string_view line, std::string_view next,
                                           const table_options& options, bool is_first) {
    if (line.starts_with("TABLE_DUMP") && line.find('|') != std::string_view::npos)
        return table_format::bgpdump;
    if (is_ip_route(line, next))
        return table_format::ip_route;
    if (is_first && is_csv(line, options))
        return csv_separator(line) == '\t' ? table_format::tsv : table_format::csv;
    if (is_text(line))
        return table_format::text;
    return std::nullopt;
}

std::string none_of_them(std::string_view line, const table_options& options) {
    std::string words = "not a table in a known format: ";
    if (line.find('\0') != std::string_view::npos || line.starts_with("\xff\xfe") ||
        line.starts_with("\xfe\xff"))
        words += "it has NUL bytes and is no MRT file and no image";
    else
        words += "no prefix, header, JSON, line of bgpdump or of ip route, MRT record or image begins here";
    words += " (tried: ";
    for (const format_name& one : table_formats)
        words.append(one.format == table_format::text ? "" : ", ").append(one.name);
    if (!options.advice.format.empty())
        words.append("; ").append(options.advice.format);
    return words + ")";
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
            if (!inner.empty() && inner[0] != '#')
                return line;
        }
        return std::nullopt;
    }

  private:
    std::string_view rest_;
    bool is_all_;
};

detection detect_text(std::string_view start, bool is_all, const table_options& options) {
    const std::size_t blanks = std::min(start.find_first_not_of(" \t\r\n"), start.size());
    const std::string_view begun = start.substr(blanks);
    if (begun.empty() && is_all)
        return {.format = table_format::text};
    if (is_json(begun)) {
        if (begun.find('}') == std::string_view::npos && !is_all)
            return {.needs_more = true};
        return {.format = begun[0] == '[' && is_ip_route_json(begun) ? table_format::ip_route_json
                                                                     : table_format::json};
    }
    first_lines lines(start, is_all);
    std::optional<std::string_view> line = lines.next();
    const std::optional<std::string_view> first = line;
    for (std::uint64_t passed = 0; line; ++passed) {
        const auto next = lines.next();
        if (!next && !is_all)
            break;
        if (const auto format = format_of_line(*line, next.value_or(""), options, passed == 0))
            return {.format = format};
        if (passed == std::min(options.skip_bad, max_passed_over))
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

detection detect_format(std::string_view start, bool is_all, const table_options& options) {
    if (start.starts_with(image_start))
        return {.format = table_format::image};
    if (is_mrt(start))
        return {.format = table_format::mrt};
    is_all = is_all || start.size() >= max_detected_bytes;
    // MRT's header could still come: no text that short is a complete file.
    if (start.size() < 12 && !is_all)
        return {.needs_more = true};
    return detect_text(without_byte_order_mark(start), is_all, options);
}

} // namespace fingerpost::io
