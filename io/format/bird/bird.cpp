// Reads the first line of a route, and the lines with its next hops and attributes.
#include "io/format/bird/bird.hpp"

#include <algorithm>
#include <utility>

#include "io/format/parts/format_entry.hpp"
#include "io/format/parts/listed.hpp"
#include "io/format/parts/shell_prompt.hpp"
#include "io/format/parts/words.hpp"

namespace fingerpost::io {
namespace {

constexpr std::array<std::string_view, 8> bird_columns{"next_hop",   "origin_as", "dev",   "protocol",
                                                       "local_pref", "med",       "table", "path"};
constexpr std::size_t usual_bird_columns = 4;
// BIRD 1 has one table, which it names only if there are several.
constexpr std::array<std::string_view, 3> bird_main_tables{"master", "master4", "master6"};

struct named_type {
    std::string_view bird;
    std::string_view name; // name in `ip route`
};
constexpr std::array<named_type, 5> bird_types{{{"unicast", "unicast"},
                                                {"multipath", "unicast"},
                                                {"blackhole", "blackhole"},
                                                {"unreachable", "unreachable"},
                                                {"prohibited", "prohibit"}}};

std::string_view type_of(std::string_view word) {
    const auto match = std::find_if(bird_types.begin(), bird_types.end(),
                                    [&](const named_type& type) { return type.bird == word; });
    return match == bird_types.end() ? std::string_view() : match->name;
}

// Takes a word that ends at a blank; commas are part of it.
std::string_view take_bird_word(std::string_view& rest) {
    skip_blanks(rest);
    const std::size_t size = std::min(rest.find_first_of(" \t"), rest.size());
    const std::string_view word = rest.substr(0, size);
    rest.remove_prefix(size);
    return word;
}

void append_listed_hop(std::string& list, std::string_view hop) {
    if (!hop.empty())
        append_listed(list, hop);
}

// Matches the text after the type of a route in both versions: `[s4 22:41:28.918] * (200)`.
bool has_source(std::string_view rest) {
    skip_blanks(rest);
    const std::size_t end = rest.find(']');
    return rest.starts_with('[') && end != std::string_view::npos &&
           rest.find(" (", end) != std::string_view::npos;
}

// Matches the text after the prefix in the first line of a route.
bool is_route_text(std::string_view rest) {
    const std::string_view word = take_bird_word(rest);
    if (!type_of(word).empty())
        return has_source(rest);
    const std::size_t bracket = rest.find(" [");
    return (word == "via" || word == "dev") && bracket != std::string_view::npos &&
           has_source(rest.substr(bracket));
}

bool is_bird_as(std::string_view word) {
    return word.size() > 2 && word.starts_with("AS") &&
           word.find_first_not_of("0123456789", 2) == std::string_view::npos;
}

// Returns the rest of a line after a key that is not only a network; nothing if the line begins with a
// network. Such keys are those of ROA, ASPA, flow, VPN, MPLS, EVPN and source-specific tables:
//
//     10.0.0.0/8-24 AS64500  [rpki1 22:41:28.918] * (100)
//     flow4 { dst 10.0.0.0/8; proto = 17; }  [flow1 22:41:28.918] * (200)
//     64500:1 10.0.0.0/8   unicast [vpn1 22:41:28.918] * (200)
std::optional<std::string_view> after_other_key(std::string_view line) {
    const std::size_t bracket = line.find(" [");
    if (bracket == std::string_view::npos || !has_source(line.substr(bracket)))
        return std::nullopt;
    std::string_view front = line.substr(0, bracket);
    const std::string_view first = take_bird_word(front), second = take_bird_word(front);
    const bool is_number = first.find_first_not_of("0123456789") == std::string_view::npos;
    const bool is_in_vpn =
        first.find(':') != std::string_view::npos && second.find('/') != std::string_view::npos;
    if (!is_bird_as(first) && !is_bird_as(second) && !is_number && !is_in_vpn && second != "from" &&
        first != "flow4" && first != "flow6" && first != "evpn")
        return std::nullopt;
    return line.substr(bracket);
}

bool is_client_message(std::string_view line) {
    return (line.starts_with("BIRD ") && line.ends_with("ready.")) || line == "Access restricted" ||
           line.find(" routes for ") != std::string_view::npos;
}

bool is_table_line(std::string_view line) {
    return line.starts_with("Table ") && line.ends_with(':');
}

} // namespace

bird_reader::bird_reader(std::string file, const table_options& options)
    : fixed_reader(std::move(file), options, "output of birdc show route", {bird_columns, usual_bird_columns},
                   bird_main_tables) {
    report_format("output of birdc show route");
}

bool bird_reader::take_line(std::string_view line) {
    if (line.starts_with('\t')) {
        if (!route_)
            return drops_rest_ || refuse(line, "this line continues a route, but no route precedes it");
        const std::string_view text = trimmed(line);
        if (text.starts_with("via ") || text.starts_with("dev "))
            take_hop(text);
        else
            take_attribute(text);
        return true;
    }
    if (!add_route())
        return false;
    drops_rest_ = false;
    if (trimmed(line).empty() || is_client_message(line) || command_after_prompt(line))
        return true;
    if (is_table_line(line)) {
        table_ = line.substr(6, line.size() - 7);
        where_.clear();
        has_other_key_ = false;
        return true;
    }
    return begin_route(line);
}

bool bird_reader::begin_route(std::string_view line) {
    drops_rest_ = true;
    std::string_view rest = line;
    if (line[0] != ' ') {
        const auto after = after_other_key(line);
        has_other_key_ = after.has_value();
        if (!after)
            where_ = take_bird_word(rest);
    }
    if (has_other_key_) {
        others().add_route("of table " + std::string(name_of_table()) + " with keys other than networks");
        return true;
    }
    if (!is_route_text(rest)) {
        where_.clear();
        return refuse(line,
                      "not a route of birdc show route, such as 10.0.0.0/8 unicast [name time] * (100)");
    }
    if (where_.empty())
        return refuse(line, "no prefix on this line or above it");
    route_ = open_route{};
    route_->where = where_;
    route_->line = lines_read();
    // BIRD 1 prints the next hop before the bracket.
    const std::size_t bracket = rest.find(" [");
    const std::string_view front = trimmed(rest.substr(0, bracket));
    if (front.starts_with("via ") || front.starts_with("dev "))
        take_hop(front);
    else
        route_->type = type_of(front);
    rest.remove_prefix(bracket + 2);
    const std::size_t end = rest.find(']');
    std::string_view source = rest.substr(0, end);
    route_->protocol = take_bird_word(source);
    rest.remove_prefix(end + 1);
    const std::string_view marks = rest.substr(0, rest.find('('));
    route_->is_best = marks.find_first_of("*!") != std::string_view::npos;
    if (const std::size_t as = rest.find("[AS"); as != std::string_view::npos) {
        const std::string_view number = rest.substr(as + 3);
        route_->origin = number.substr(0, number.find_first_not_of("0123456789"));
    }
    return true;
}

void bird_reader::take_hop(std::string_view text) {
    const std::string_view key = take_bird_word(text);
    const std::string_view target = take_bird_word(text);
    if (key == "dev") {
        append_listed_hop(route_->devices, target);
        return;
    }
    append_listed_hop(route_->gateways, target);
    if (take_bird_word(text) == "on")
        append_listed_hop(route_->devices, take_bird_word(text));
}

// BIRD 3 names the attributes bgp_path and so on.
void bird_reader::take_attribute(std::string_view text) {
    const std::size_t colon = text.find(": ");
    if (colon == std::string_view::npos)
        return;
    const std::string_view name = text.substr(0, colon), value = trimmed(text.substr(colon + 2));
    if (name == "BGP.as_path" || name == "bgp_path")
        route_->path = value;
    else if (name == "BGP.local_pref" || name == "bgp_local_pref")
        route_->preference = value;
    else if (name == "BGP.med" || name == "bgp_med")
        route_->med = value;
}

std::string_view bird_reader::name_of_table() const {
    return table_.empty() ? bird_main_tables.front() : std::string_view(table_);
}

bool bird_reader::add_route() {
    if (!route_)
        return true;
    const open_route route = std::move(*route_);
    route_.reset();
    fixed_columns* const columns = table_for(name_of_table(), route.where);
    if (columns == nullptr)
        return true;
    if (!route.is_best) {
        columns->leave_out();
        return true;
    }
    const bool drops = !route.type.empty() && route.type != "unicast";
    const std::string& target = drops ? route.type : !route.gateways.empty() ? route.gateways : route.devices;
    const std::array<std::string_view, 8> cells{target,           route.origin, route.devices, route.protocol,
                                                route.preference, route.med,    table_,        route.path};
    return check_at(route.line, columns->add(route.where, cells));
}

bool bird_reader::take_end() {
    return add_route();
}

namespace {

bool is_bird(std::string_view line) {
    if ((line.starts_with("BIRD ") && line.ends_with("ready.")) || is_table_line(line) ||
        line.starts_with("bird> ") || after_other_key(line))
        return true;
    const std::string_view where = take_bird_word(line);
    return starts_like_prefix(where) && is_route_text(line);
}

} // namespace

extern const format_entry bird_format;
constinit const format_entry bird_format{
    .name = "bird",
    .summary = "output of `birdc show route` of BIRD 1, 2 and 3, also with `all`",
    .has_line = [](const detected_line& at, const table_options&) { return is_bird(at.line); },
    .has_routing_tables = true,
    .open = open_reader<bird_reader>};

} // namespace fingerpost::io
