// Distinguishes the clouds by member names.
#include "io/format/cloud/cloud.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "io/format/parts/format_entry.hpp"
#include "io/format/parts/network_length.hpp"

namespace fingerpost::io {
namespace {

const std::vector<std::string>& cloud_columns() {
    static const std::vector<std::string> names{"service", "region", "provider", "group"};
    return names;
}

// Selects an entry of a list, or a list that has only networks.
bool is_entry(std::span<const std::string> path, char opening) {
    constexpr std::array<std::string_view, 4> lists_of_entries{"prefixes", "ipv6_prefixes", "values",
                                                               "regions"};
    const bool has_entries =
        std::find(lists_of_entries.begin(), lists_of_entries.end(), path[0]) != lists_of_entries.end();
    if (opening == '{')
        return (path.size() == 2 && has_entries) || (path.size() == 1 && path[0].empty());
    return (path.size() == 1 && !has_entries && !path[0].empty()) ||
           (path.size() == 2 && path[0] == "result");
}

} // namespace

cloud_reader::cloud_reader(std::string file, const table_options& options)
    : document_reader(fault_log(std::move(file), options.skip_bad, options.on_skip), is_entry,
                      document_cutter::documents::one, true) {
    auto table = joined_table::make(options, cloud_columns(), joining::sets);
    if (!table)
        fail({}, table.error());
    else
        table_ = std::move(*table);
    if (options.on_understood && table_)
        options.on_understood("address ranges of a cloud");
}

bool cloud_reader::feed(std::string_view chunk) {
    return feed_values(chunk, [this](std::span<const std::string> path, const json_tree& entry) {
        return take(path, entry);
    });
}

bool cloud_reader::add(std::string_view where, std::span<const std::string_view> cells) {
    const auto fault = table_->add(where, cells);
    return !fault || refuse(fault->text, fault->reason);
}

bool cloud_reader::add_networks(const std::vector<json_tree>& networks,
                                std::span<const std::string_view> cells) {
    return std::all_of(networks.begin(), networks.end(),
                       [&](const json_tree& network) { return add(network.text, cells); });
}

bool cloud_reader::take(std::span<const std::string> path, const json_tree& entry) {
    if (entry.kind == json_tree::kinds::array)
        return take_list(path, entry);
    has_entries_ = true;
    return path[0].empty()        ? take_endpoint(entry)
           : path[0] == "regions" ? take_region(entry)
                                  : take_entry(entry);
}

bool cloud_reader::take_entry(const json_tree& entry) {
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

// Reads an entry of Oracle.
bool cloud_reader::take_region(const json_tree& region) {
    const std::string_view name = region.text_of("region");
    for (const json_tree& block : region.elements_of("cidrs")) {
        const auto& tags = block.elements_of("tags");
        for (std::size_t i = 0; i < std::max<std::size_t>(tags.size(), 1); ++i) {
            const std::string_view tag =
                i < tags.size() ? std::string_view(tags[i].text) : std::string_view();
            if (!add(block.text_of("cidr"), std::array<std::string_view, 4>{tag, name, "oracle", ""}))
                return false;
        }
    }
    return true;
}

// Reads an entry of Microsoft 365. Some entries have only host names.
bool cloud_reader::take_endpoint(const json_tree& endpoint) {
    return add_networks(endpoint.elements_of("ips"),
                        std::array<std::string_view, 4>{endpoint.text_of("serviceArea"), "", "microsoft365",
                                                        endpoint.text_of("category")});
}

// Reads a list of Cloudflare, Fastly or GitHub. GitHub has one list per service, and other lists.
bool cloud_reader::take_list(std::span<const std::string> path, const json_tree& list) {
    if (list.inside.empty() || !is_prefix_with_length(list.inside[0].text))
        return true;
    has_entries_ = true;
    const bool is_fastly = path[0] == "addresses" || path[0] == "ipv6_addresses";
    const bool is_cloudflare = path.size() == 2;
    return add_networks(list.inside, std::array<std::string_view, 4>{
                                         is_fastly || is_cloudflare ? std::string_view() : path[0], "",
                                         is_cloudflare ? "cloudflare"
                                         : is_fastly   ? "fastly"
                                                       : "github",
                                         ""});
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
    return add_networks(prefixes->inside, cells);
}

std::optional<input_error> cloud_reader::complete() {
    const bool has_lists = has_entries_ || has_opened("values") || has_opened("regions");
    return finish_values(has_lists ? "" : "prefixes");
}

expected<both_tables, input_error> cloud_reader::finish_both() && {
    if (auto error = complete())
        return unexpected{std::move(*error)};
    return std::move(*table_).finish_both(lines_read(), skipped());
}

expected<one_table, input_error> cloud_reader::finish() && {
    if (auto error = complete())
        return unexpected{std::move(*error)};
    return std::move(*table_).finish(lines_read(), skipped());
}

namespace {

// The first entry ends at the first closing brace.
bool is_cloud(std::string_view start) {
    const std::string_view first = start.substr(0, start.find('}'));
    const auto has = [&](std::string_view text) { return first.find(text) != std::string_view::npos; };
    if (start.starts_with('['))
        return has("\"serviceArea\"");
    const auto begins_with = [&](std::string_view member) {
        return first.substr(std::min(first.find('"'), first.size())).starts_with(member);
    };
    return (has("\"prefixes\"") &&
            (has("\"ip_prefix\"") || has("\"ipv4Prefix\"") || has("\"ipv6Prefix\""))) ||
           (has("\"ipv6_prefixes\"") && has("\"ipv6_prefix\"")) ||
           (has("\"values\"") && has("\"properties\"") && has("\"addressPrefixes\"")) ||
           (has("\"regions\"") && has("\"cidrs\"")) ||
           (has("\"result\"") && (has("\"ipv4_cidrs\"") || has("\"ipv6_cidrs\""))) ||
           (has("[") && (begins_with("\"addresses\"") || begins_with("\"ipv6_addresses\""))) ||
           begins_with("\"verifiable_password_authentication\"");
}

} // namespace

extern const format_entry cloud_format;
constinit const format_entry cloud_format{
    .name = "cloud",
    .summary = "address ranges of AWS, Google, Azure, Oracle, Microsoft 365, Cloudflare, Fastly and GitHub",
    .has_object = is_cloud,
    .open = open_reader<cloud_reader>};

} // namespace fingerpost::io
