// Tells the clouds apart by the names of members.
#include "io/format/cloud/cloud.hpp"

#include <array>
#include <utility>
#include <vector>

#include "io/format/parts/format_entry.hpp"

namespace fingerpost::io {
namespace {

const std::vector<std::string>& cloud_columns() {
    static const std::vector<std::string> names{"service", "region", "provider", "group"};
    return names;
}

bool is_entry(std::span<const std::string> path, char opening) {
    return path.size() == 2 && opening == '{' &&
           (path[0] == "prefixes" || path[0] == "ipv6_prefixes" || path[0] == "values");
}

} // namespace

cloud_reader::cloud_reader(std::string file, const table_options& options)
    : document_reader(fault_log(std::move(file), options.skip_bad, options.on_skip), is_entry) {
    auto made = joined_table::make(options, cloud_columns(), joining::sets);
    if (!made)
        fail({}, made.error());
    else
        made_ = std::move(*made);
    if (options.on_understood && made_)
        options.on_understood("address ranges of a cloud");
}

bool cloud_reader::feed(std::string_view chunk) {
    return feed_values(chunk,
                       [this](std::span<const std::string>, const json_tree& entry) { return take(entry); });
}

bool cloud_reader::add(std::string_view where, std::span<const std::string_view> cells) {
    const auto fault = made_->add(where, cells);
    return !fault || refuse(fault->text, fault->reason);
}

bool cloud_reader::take(const json_tree& entry) {
    const std::string_view service = entry.text_of("service");
    for (const char* const name : {"ip_prefix", "ipv6_prefix"})
        if (const std::string_view where = entry.text_of(name); !where.empty())
            return add(where, std::array<std::string_view, 4>{service, entry.text_of("region"), "aws",
                                                              entry.text_of("network_border_group")});
    for (const char* const name : {"ipv4Prefix", "ipv6Prefix"})
        if (const std::string_view where = entry.text_of(name); !where.empty())
            return add(where, std::array<std::string_view, 4>{service, entry.text_of("scope"), "google", ""});
    return take_tag(entry);
}

bool cloud_reader::take_tag(const json_tree& tag) {
    const std::string_view name = tag.text_of("name");
    const json_tree* const properties = tag.find("properties");
    const json_tree* const prefixes = properties == nullptr ? nullptr : properties->find("addressPrefixes");
    if (prefixes == nullptr || prefixes->kind != json_tree::kinds::array)
        return refuse(name, "an entry without ip_prefix, ipv6_prefix, ipv4Prefix, ipv6Prefix or a list "
                            "properties.addressPrefixes");
    const std::array<std::string_view, 4> cells{properties->text_of("systemService"),
                                                properties->text_of("region"), "azure", name};
    for (const json_tree& one : prefixes->inside)
        if (!add(one.text, cells))
            return false;
    return true;
}

std::optional<input_error> cloud_reader::complete() {
    const bool has_tags = has_opened("values");
    return finish_values(has_tags ? "values" : "prefixes");
}

expected<both_tables, input_error> cloud_reader::finish_both() && {
    if (auto error = complete())
        return unexpected{std::move(*error)};
    return std::move(*made_).finish_both(lines_read(), skipped());
}

expected<one_table, input_error> cloud_reader::finish() && {
    if (auto error = complete())
        return unexpected{std::move(*error)};
    return std::move(*made_).finish(lines_read(), skipped());
}

namespace {

// The first entry ends at the first brace.
bool is_cloud(std::string_view start) {
    const std::string_view first = start.substr(0, start.find('}'));
    const auto has = [&](std::string_view text) { return first.find(text) != std::string_view::npos; };
    if (!start.starts_with('{'))
        return false;
    return (has("\"prefixes\"") &&
            (has("\"ip_prefix\"") || has("\"ipv4Prefix\"") || has("\"ipv6Prefix\""))) ||
           (has("\"ipv6_prefixes\"") && has("\"ipv6_prefix\"")) ||
           (has("\"values\"") && has("\"properties\"") && has("\"addressPrefixes\""));
}

} // namespace

extern const format_entry cloud_format;
constinit const format_entry cloud_format{
    .name = "cloud",
    .summary = "address ranges of AWS (`ip-ranges.json`), Google (`cloud.json`) or Azure (service tags)",
    .has_object = is_cloud,
    .open = open_reader<cloud_reader>};

} // namespace fingerpost::io
