// Cuts lines into a prefix and a number.
#include "io/format/pyasn/pyasn.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

#include "io/format/parts/format_entry.hpp"

namespace fingerpost::io {
namespace {

bool is_asn(std::string_view text) {
    std::uint32_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    return !text.empty() && read.ec == std::errc() && read.ptr == text.data() + text.size();
}

} // namespace

pyasn_reader::pyasn_reader(std::string file, const table_options& options)
    : line_reader(fault_log(std::move(file), options.skip_bad, options.on_skip), "a database of pyasn",
                  options.policy),
      taker_(options) {
    const std::vector<std::string> columns{"asn"};
    const auto names = selection_.choose_of(columns, options);
    if (!names) {
        fail({}, names.error());
        return;
    }
    taker_.builder().set_columns(views(*names));
    if (options.on_understood)
        options.on_understood("a database of pyasn");
}

bool pyasn_reader::feed(std::string_view chunk) {
    return feed_lines(chunk, [this](std::string_view line) { return take_line(line); });
}

bool pyasn_reader::take_line(std::string_view line) {
    line = without_return(line);
    std::string_view rest = line;
    skip_blanks(rest);
    if (rest.starts_with(';'))
        return true;
    if (has_return(line))
        return refuse(line, return_in_line);
    const std::string_view where = take_word(rest);
    if (where.empty() && rest.empty())
        return true;
    const std::string_view asn = take_word(rest);
    skip_blanks(rest);
    if (!rest.empty())
        return refuse(line, "unexpected text after the prefix and the AS number");
    if (!is_asn(asn))
        return refuse(asn.empty() ? line : asn, "not an AS number");
    const auto fault = taker_.add(where, selection_.of(std::array{asn}));
    return !fault || refuse(fault->text, fault->reason);
}

std::optional<input_error> pyasn_reader::complete() {
    auto error = finish_lines([this](std::string_view line) { return take_line(line); });
    taker_.builder().count(skipped(), 0);
    return error;
}

expected<both_tables, input_error> pyasn_reader::finish_both() && {
    if (auto error = complete())
        return unexpected{std::move(*error)};
    return std::move(taker_).finish_both(lines_read());
}

expected<one_table, input_error> pyasn_reader::finish() && {
    if (auto error = complete())
        return unexpected{std::move(*error)};
    return std::move(taker_).finish(lines_read());
}

extern const format_entry pyasn_format;
constinit const format_entry pyasn_format{
    .name = "pyasn",
    .summary = "a pyasn database: `prefix`, tab, AS number",
    // Lists of other programs also begin with `;`.
    .has_line = [](const detected_line& at,
                   const table_options&) { return at.is_first && at.line.starts_with("; IP-ASN"); },
    .open = open_reader<pyasn_reader>};

} // namespace fingerpost::io
