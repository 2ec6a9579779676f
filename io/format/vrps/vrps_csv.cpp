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

std::optional<std::size_t> place_of(const std::vector<std::string_view>& fields, std::string_view name) {
    const auto found = std::find_if(fields.begin(), fields.end(),
                                    [&](std::string_view field) { return plain_name(field) == name; });
    if (found == fields.end())
        return std::nullopt;
    return static_cast<std::size_t>(found - fields.begin());
}

} // namespace

vrps_csv_reader::vrps_csv_reader(std::string file, const table_options& options)
    : line_reader(fault_log(std::move(file), options.skip_bad, options.on_skip), "a list of RPKI payloads",
                  options.policy) {
    auto made = joined_table::make(options, payload_columns(), joining::lists);
    if (!made)
        fail({}, made.error());
    else
        made_ = std::move(*made);
    if (options.on_understood && made_)
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
    if (!places_)
        return take_header() || fail(line, "no header with the columns ASN, IP Prefix and Max Length");
    return take_row(line);
}

bool vrps_csv_reader::take_header() {
    const auto asn = place_of(fields_, "asn");
    const auto prefix = place_of(fields_, "ip_prefix");
    const auto most = place_of(fields_, "max_length");
    if (!asn || !prefix || !most)
        return false;
    places_ = columns{*asn, *prefix, *most, place_of(fields_, "trust_anchor")};
    return true;
}

bool vrps_csv_reader::take_row(std::string_view line) {
    const auto field = [&](std::size_t place) {
        return place < fields_.size() ? fields_[place] : std::string_view();
    };
    if (fields_.size() <= std::max({places_->asn, places_->prefix, places_->max_length}))
        return refuse(line, "the row has fewer fields than the header");
    const auto fault =
        add_payload(*made_, {field(places_->asn), field(places_->prefix), field(places_->max_length),
                             places_->ta ? field(*places_->ta) : ""});
    return !fault || refuse(fault->text, fault->reason);
}

std::optional<input_error> vrps_csv_reader::complete() {
    return finish_lines([this](std::string_view line) { return take_line(line); });
}

expected<both_tables, input_error> vrps_csv_reader::finish_both() && {
    if (auto error = complete())
        return unexpected{std::move(*error)};
    return std::move(*made_).finish_both(lines_read(), skipped());
}

expected<one_table, input_error> vrps_csv_reader::finish() && {
    if (auto error = complete())
        return unexpected{std::move(*error)};
    return std::move(*made_).finish(lines_read(), skipped());
}

namespace {

bool is_vrps_line(std::string_view line) {
    std::vector<std::string_view> fields;
    cut_fields(line, fields);
    return place_of(fields, "asn") && place_of(fields, "ip_prefix") && place_of(fields, "max_length");
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
