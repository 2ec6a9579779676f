// Reads the BGP table of bgpd.
#include <array>
#include <utility>
#include <vector>

#include "io/format/frr/frr.hpp"
#include "io/format/parts/format_entry.hpp"
#include "io/format/parts/listed.hpp"

namespace fingerpost::io {
namespace {

constexpr std::string_view list_name = "routes";

const std::vector<std::string>& path_columns() {
    static const std::vector<std::string> names{"next_hop", "origin_as", "peer", "path", "local_pref", "med"};
    return names;
}

// Selects the prefixes in the object of one VRF, or in a member of the object of all VRFs.
bool is_bgp_prefix(std::span<const std::string> path, char) {
    return (path.size() == 2 && path[0] == list_name) || (path.size() == 3 && path[1] == list_name);
}

// `show bgp detail json` has an object instead of a Boolean.
bool is_best(const json_tree& path) {
    const json_tree* const best = path.find("bestpath");
    return best != nullptr && (best->text == "true" || best->is_true("overall"));
}

std::string_view text_of_path(const json_tree& path) {
    const json_tree* const detailed = path.find("aspath");
    return detailed == nullptr ? path.text_of("path") : detailed->text_of("string");
}

// Returns the last AS of a path, which may be a set.
std::string_view origin_of(std::string_view path) {
    const std::size_t blank = path.find_last_of(' ');
    return blank == std::string_view::npos ? path : path.substr(blank + 1);
}

std::string used_next_hops(const json_tree& path) {
    const auto& hops = path.elements_of("nexthops");
    std::string addresses;
    for (const json_tree& hop : hops)
        if (hop.is_true("used"))
            append_listed(addresses, hop.text_of("ip"));
    return addresses.empty() && !hops.empty() ? std::string(hops.front().text_of("ip")) : addresses;
}

std::string_view peer_of(const json_tree& path) {
    const json_tree* const detailed = path.find("peer");
    return detailed == nullptr ? path.text_of("peerId") : detailed->text_of("peerId");
}

std::string_view first_of(const json_tree& path, std::string_view name, std::string_view other) {
    const std::string_view text = path.text_of(name);
    return text.empty() ? path.text_of(other) : text;
}

} // namespace

frr_bgp_reader::frr_bgp_reader(std::string file, const table_options& options)
    : frr_reader(std::move(file), options, is_bgp_prefix, path_columns(), "output of FRR's show bgp json") {}

bool frr_bgp_reader::feed(std::string_view chunk) {
    return feed_values(chunk, [this](std::span<const std::string> path, const json_tree& paths) {
        has_vrf_ = has_vrf_ || path.size() == 3;
        return take(path.size() == 3 ? std::string_view(path[0]) : "default", path.back(), paths);
    });
}

bool frr_bgp_reader::take(std::string_view vrf, std::string_view where, const json_tree& paths) {
    for (const json_tree& path :
         paths.kind == json_tree::kinds::object ? paths.elements_of("paths") : paths.inside) {
        best_table* const table = table_for(vrf, where);
        if (table == nullptr)
            continue;
        if (!is_best(path)) {
            table->leave_out();
            continue;
        }
        const std::string hops = used_next_hops(path);
        const std::string_view ases = text_of_path(path);
        if (!add(*table, where,
                 std::array<std::string_view, 6>{hops, origin_of(ases), peer_of(path), ases,
                                                 first_of(path, "locPrf", "localPref"),
                                                 first_of(path, "metric", "med")}))
            return false;
    }
    return true;
}

std::optional<input_error> frr_bgp_reader::complete() {
    auto error = frr_reader::complete();
    if (!error && !has_vrf_ && !has_opened(list_name))
        error = refuse_document(list_name, "the document has no such member");
    return error;
}

expected<both_tables, input_error> frr_bgp_reader::finish_both() && {
    if (auto error = complete())
        return unexpected{std::move(*error)};
    return std::move(*this).take_both();
}

expected<one_table, input_error> frr_bgp_reader::finish() && {
    if (auto error = complete())
        return unexpected{std::move(*error)};
    return std::move(*this).take_one();
}

namespace {

bool is_frr_bgp(std::string_view start) {
    const std::string_view first = start.substr(0, start.find('}'));
    const auto has = [&](std::string_view text) { return first.find(text) != std::string_view::npos; };
    return start.starts_with('{') && has("\"routerId\"") && has("\"routes\"");
}

} // namespace

extern const format_entry frr_bgp_format;
constinit const format_entry frr_bgp_format{.name = "frr-bgp",
                                            .summary = "output of FRR's `show bgp ipv4 unicast json`",
                                            .has_object = is_frr_bgp,
                                            .has_routing_tables = true,
                                            .open = open_reader<frr_bgp_reader>};

} // namespace fingerpost::io
