// Reads the JSON of validators, which write different members around the payloads.
#include <utility>

#include "io/format/parts/format_entry.hpp"
#include "io/format/vrps/payload.hpp"
#include "io/format/vrps/vrps.hpp"

namespace fingerpost::io {
namespace {

constexpr std::string_view roas_name = "roas";

bool is_roa(std::span<const std::string> path, char opening) {
    return path.size() == 2 && path[0] == roas_name && opening == '{';
}

} // namespace

vrps_json_reader::vrps_json_reader(std::string file, const table_options& options)
    : document_reader(fault_log(std::move(file), options.skip_bad, options.on_skip), is_roa) {
    auto table = joined_table::make(options, payload_columns(), joining::lists);
    if (!table)
        fail({}, table.error());
    else
        table_ = std::move(*table);
    if (options.on_understood && table_)
        options.on_understood("RPKI payloads as JSON");
}

bool vrps_json_reader::feed(std::string_view chunk) {
    return feed_values(chunk,
                       [this](std::span<const std::string>, const json_tree& roa) { return take(roa); });
}

bool vrps_json_reader::take(const json_tree& roa) {
    payload record{roa.text_of("asn"), roa.text_of("prefix"), roa.text_of("maxLength"), roa.text_of("ta")};
    // The extended form of Routinator has the sources of a payload instead.
    const auto& sources = roa.elements_of("source");
    if (record.ta.empty() && !sources.empty())
        record.ta = sources.front().text_of("tal");
    const auto fault = add_payload(*table_, record);
    return !fault || refuse(fault->text, fault->reason);
}

expected<both_tables, input_error> vrps_json_reader::finish_both() && {
    if (auto error = finish_values(roas_name))
        return unexpected{std::move(*error)};
    return std::move(*table_).finish_both(lines_read(), skipped());
}

expected<one_table, input_error> vrps_json_reader::finish() && {
    if (auto error = finish_values(roas_name))
        return unexpected{std::move(*error)};
    return std::move(*table_).finish(lines_read(), skipped());
}

namespace {

// The document begins with the list, or with metadata that has the time of creation.
bool is_vrps_object(std::string_view start) {
    const std::string_view first = start.substr(0, start.find('}'));
    const auto has = [&](std::string_view text) { return first.find(text) != std::string_view::npos; };
    const std::size_t name = first.find('"');
    const std::string_view members = first.substr(name == std::string_view::npos ? first.size() : name);
    if (!start.starts_with('{') ||
        first.substr(1, name - 1).find_first_not_of(" \t\r\n") != std::string_view::npos)
        return false;
    return members.starts_with("\"roas\"") ||
           (members.starts_with("\"metadata\"") && (has("\"generated\"") || has("\"buildtime\"")));
}

} // namespace

extern const format_entry vrps_json_format;
constinit const format_entry vrps_json_format{.name = "vrps-json",
                                              .summary = "validated ROA payloads of RPKI validators as JSON",
                                              .has_object = is_vrps_object,
                                              .open = open_reader<vrps_json_reader>};

} // namespace fingerpost::io
