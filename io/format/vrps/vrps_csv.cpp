// Reads the CSV of validators. Quotes only enclose whole fields, and fields have no commas.
#include <algorithm>
#include <utility>

#include "io/format/parts/format_entry.hpp"
#include "io/format/parts/table_columns.hpp"
#include "io/format/vrps/payload.hpp"
#include "io/format/vrps/vrps.hpp"

namespace fingerpost::io {
namespace {

void cut_fields(std::string_view line, std::vector<std::string_view>& fields) {
    fields.clear();
    for (std::size_t at = 0; at <= line.size();) {
        const std::size_t end = std::min(line.find(',', at), line.size());
        std::string_view field = trimmed(line.substr(at, end - at));
        if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
            field = field.substr(1, field.size() - 2);
        fields.push_back(field);
        at = end + 1;
    }
}

std::optional<std::size_t> column_of(const std::vector<std::string_view>& fields, std::string_view name) {
    const auto match = std::find_if(fields.begin(), fields.end(),
                                    [&](std::string_view field) { return plain_name(field) == name; });
    if (match == fields.end())
        return std::nullopt;
    return static_cast<std::size_t>(match - fields.begin());
}

} // namespace

vrps_csv_reader::vrps_csv_reader(std::string file, const table_options& options)
    : line_reader(fault_log(std::move(file), options.skip_bad, options.on_skip), "a list of RPKI payloads",
                  options.policy) {
    auto table = joined_table::make(options, payload_columns(), joining::lists);
    if (!table)
        fail({}, table.error());
    else
        table_ = std::move(*table);
    if (options.on_understood && table_)
        options.on_understood("RPKI payloads as CSV");
}

bool vrps_csv_reader::feed(std::string_view chunk) {
    return feed_lines(chunk, [this](std::string_view line) { return take_line(line); });
}

bool vrps_csv_reader::take_line(std::string_view line) {
    line = without_return(line);
    const std::string_view inner = trimmed(line);
    if (inner.empty() || inner.starts_with('#'))
        return true;
    if (has_return(line))
        return refuse(line, return_in_line);
    cut_fields(line, fields_);
    if (!columns_)
        return take_header() || fail(line, "no header with the columns ASN, IP Prefix and Max Length");
    return take_row(line);
}

bool vrps_csv_reader::take_header() {
    const auto asn = column_of(fields_, "asn");
    const auto prefix = column_of(fields_, "ip_prefix");
    const auto max_length = column_of(fields_, "max_length");
    if (!asn || !prefix || !max_length)
        return false;
    columns_ = columns{*asn, *prefix, *max_length, column_of(fields_, "trust_anchor")};
    return true;
}

bool vrps_csv_reader::take_row(std::string_view line) {
    const auto field = [&](std::size_t column) {
        return column < fields_.size() ? fields_[column] : std::string_view();
    };
    if (fields_.size() <= std::max({columns_->asn, columns_->prefix, columns_->max_length}))
        return refuse(line, "the row has fewer fields than the header");
    const auto fault =
        add_payload(*table_, {field(columns_->asn), field(columns_->prefix), field(columns_->max_length),
                              columns_->ta ? field(*columns_->ta) : ""});
    return !fault || refuse(fault->text, fault->reason);
}

std::optional<input_error> vrps_csv_reader::complete() {
    return finish_lines([this](std::string_view line) { return take_line(line); });
}

expected<both_tables, input_error> vrps_csv_reader::finish_both() && {
    if (auto error = complete())
        return unexpected{std::move(*error)};
    return std::move(*table_).finish_both(lines_read(), skipped());
}

expected<one_table, input_error> vrps_csv_reader::finish() && {
    if (auto error = complete())
        return unexpected{std::move(*error)};
    return std::move(*table_).finish(lines_read(), skipped());
}

namespace {

bool is_vrps_line(std::string_view line) {
    std::vector<std::string_view> fields;
    cut_fields(line, fields);
    return column_of(fields, "asn") && column_of(fields, "ip_prefix") && column_of(fields, "max_length");
}

} // namespace

extern const format_entry vrps_csv_format;
constinit const format_entry vrps_csv_format{
    .name = "vrps-csv",
    .summary = "validated ROA payloads of RPKI validators as CSV",
    .has_line = [](const detected_line& at,
                   const table_options&) { return at.is_first && is_vrps_line(at.line); },
    .open = open_reader<vrps_csv_reader>};

} // namespace fingerpost::io
