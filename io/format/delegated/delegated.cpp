// Cuts records at `|`, and converts starts and counts into prefixes.
#include "io/format/delegated/delegated.hpp"

#include <algorithm>
#include <charconv>

#include "fingerpost/net/text.hpp"
#include "io/format/parts/format_entry.hpp"

namespace fingerpost::io {
namespace {

constexpr std::array<std::string_view, 5> delegated_columns{"country", "registry", "status", "date",
                                                            "opaque_id"};
// Indices of the fields.
enum delegated_field : std::size_t { registry, country, type, start, value, date, status, opaque_id };
constexpr std::size_t min_delegated_fields = status + 1;
constexpr std::size_t max_delegated_fields = 32;

// Cuts the fields of a record. Fields after the known ones are extensions of the format.
std::size_t cut_fields(std::string_view line, std::array<std::string_view, max_delegated_fields>& fields) {
    std::size_t count = 0;
    for (std::string_view rest = line; count < fields.size();) {
        const std::size_t end = rest.find('|');
        fields[count++] = trimmed(rest.substr(0, end));
        if (end == std::string_view::npos)
            break;
        rest.remove_prefix(end + 1);
    }
    return count;
}

bool is_type(std::string_view word) {
    return word == "asn" || word == "ipv4" || word == "ipv6";
}

bool is_registry(std::string_view word) {
    constexpr std::array<std::string_view, 7> names{"afrinic", "apnic",   "arin", "iana",
                                                    "lacnic",  "ripencc", "nro"};
    return std::find(names.begin(), names.end(), word) != names.end();
}

bool is_version(std::string_view word) {
    return !word.empty() && word.find_first_not_of("0123456789.") == std::string_view::npos;
}

// `2|ripencc|20231114|200000|19830705|20231113|+0100`
bool is_version_line(std::span<const std::string_view> fields) {
    return fields.size() >= 6 && is_version(fields[registry]) && is_registry(fields[country]);
}

// `ripencc|*|ipv4|*|80000|summary`
bool is_summary_line(std::span<const std::string_view> fields) {
    return fields.size() == 6 && fields[country] == "*" && fields[5] == "summary";
}

bool is_record(std::span<const std::string_view> fields) {
    return fields.size() >= min_delegated_fields && is_type(fields[type]);
}

// Returns a number of addresses or a prefix length; 0 if the text is neither.
std::uint64_t count_of(std::string_view text) {
    std::uint64_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    return read.ec == std::errc() && read.ptr == text.data() + text.size() ? number : 0;
}

} // namespace

delegated_reader::delegated_reader(std::string file, const table_options& options)
    : fixed_reader(std::move(file), options, "the statistics of a registry",
                   {delegated_columns, delegated_columns.size()}) {
    report_format("delegated statistics of a registry");
}

bool delegated_reader::take_line(std::string_view line) {
    if (trimmed(line).empty() || line.starts_with('#'))
        return true;
    std::array<std::string_view, max_delegated_fields> buffer;
    const std::span<const std::string_view> fields(buffer.data(), cut_fields(line, buffer));
    if (is_version_line(fields) || is_summary_line(fields))
        return true;
    if (!is_record(fields))
        return refuse(line,
                      "not a record, which is registry|country|asn, ipv4 or ipv6|start|value|date|status");
    if (fields[type] == "asn")
        return true;
    const std::array<std::string_view, 5> cells{fields[country], fields[registry], fields[status],
                                                fields[date],
                                                fields.size() > opaque_id ? fields[opaque_id] : ""};
    return fields[type] == "ipv4" ? take_ipv4(line, fields[start], fields[value], cells)
                                  : take_ipv6(line, fields[start], fields[value], cells);
}

bool delegated_reader::take_ipv4(std::string_view line, std::string_view start, std::string_view value,
                                 std::span<const std::string_view> cells) {
    const auto first = parse_address<ipv4_address>(start);
    if (!first)
        return refuse(start, message(first.error()));
    const std::uint64_t count = count_of(value);
    if (count == 0)
        return refuse(line, "the address count must be positive");
    if (count - 1 > ipv4_address::last().value - first->value)
        return refuse(line, "the range exceeds 255.255.255.255");
    const ipv4_address last{static_cast<std::uint32_t>(first->value + (count - 1))};
    return check(table().add_range(start, to_string(last), cells));
}

bool delegated_reader::take_ipv6(std::string_view line, std::string_view start, std::string_view value,
                                 std::span<const std::string_view> cells) {
    if (!parse_address<ipv6_address>(start))
        return refuse(line, "the record has type ipv6, but its start is not an IPv6 address");
    return add(std::string(start).append("/").append(value), cells);
}

extern const format_entry delegated_format;
constinit const format_entry delegated_format{
    .name = "delegated",
    .summary = "RIR delegated statistics, standard or extended",
    .has_line =
        [](const detected_line& at, const table_options&) {
            std::array<std::string_view, max_delegated_fields> buffer;
            const std::span<const std::string_view> fields(buffer.data(), cut_fields(at.line, buffer));
            return is_version_line(fields) || is_record(fields) || is_summary_line(fields);
        },
    .open = open_reader<delegated_reader>};

} // namespace fingerpost::io
