// Reads the first line of a route, and the lines with its other next hops.
#include "io/format/show_route/show_route.hpp"

#include <algorithm>
#include <utility>

#include "io/format/parts/format_entry.hpp"
#include "io/format/parts/shell_prompt.hpp"
#include "io/format/parts/words.hpp"

namespace fingerpost::io {
namespace {

constexpr std::array<std::string_view, 5> shown_columns{"next_hop", "dev", "protocol", "distance", "metric"};

constexpr std::array<std::string_view, 1> shown_main_tables{"default"};

constexpr std::string_view flags = " >*qrbto";

struct protocol_letter {
    char letter;
    std::string_view name;
};
constexpr std::array<protocol_letter, 18> protocols{{{'K', "kernel"},
                                                     {'C', "connected"},
                                                     {'L', "local"},
                                                     {'S', "static"},
                                                     {'R', "rip"},
                                                     {'O', "ospf"},
                                                     {'I', "isis"},
                                                     {'B', "bgp"},
                                                     {'E', "eigrp"},
                                                     {'N', "nhrp"},
                                                     {'T', "table"},
                                                     {'v', "vnc"},
                                                     {'V', "vnc"},
                                                     {'A', "babel"},
                                                     {'F', "pbr"},
                                                     {'f', "openfabric"},
                                                     {'D', "sharp"},
                                                     {'Z', "frr"}}};

std::string_view protocol_of(std::string_view letter) {
    const auto match = std::find_if(protocols.begin(), protocols.end(), [&](const protocol_letter& protocol) {
        return protocol.letter == letter[0];
    });
    return match == protocols.end() ? letter : match->name;
}

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Takes the text before the next comma.
std::string_view take_part(std::string_view& rest) {
    const std::size_t end = rest.find(',');
    const std::string_view part = trimmed(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    return part;
}

std::string_view take_plain_word(std::string_view& rest) {
    skip_blanks(rest);
    const std::size_t size = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, size);
    rest.remove_prefix(size);
    return word;
}

void append_hop(std::string& list, std::string_view hop) {
    if (hop.empty())
        return;
    if (!list.empty())
        list += ',';
    list += hop;
}

// Whether the part is a weight, labels, or the age of the route, rather than a device.
bool is_no_device(std::string_view part) {
    return part.empty() || part.starts_with("weight ") || part.starts_with("label ") ||
           part.starts_with("seg6") || part.starts_with("source ") ||
           (part[0] >= '0' && part[0] <= '9' &&
            part.find_first_not_of("0123456789:wdhmy") == std::string_view::npos);
}

std::string_view device_of(std::string_view part) {
    return is_no_device(part) ? std::string_view() : part.substr(0, part.find(' '));
}

std::string_view drop_type(std::string_view text) {
    return text.find("blackhole") != std::string_view::npos    ? "blackhole"
           : text.find("prohibited") != std::string_view::npos ? "prohibit"
                                                               : "unreachable";
}

struct first_part {
    std::string_view letter;
    std::string_view marks; // whether it is selected, and its state in the kernel
    std::string_view where;
    std::string_view rest;
};

// Cuts the start of a route: a letter, an optional number in brackets, two marks, and a prefix.
std::optional<first_part> cut_first(std::string_view line) {
    if (line.size() < 6 || !is_letter(line[0]))
        return std::nullopt;
    first_part start{line.substr(0, 1), {}, {}, line.substr(1)};
    if (start.rest.starts_with('[')) {
        const std::size_t end = start.rest.find(']');
        if (end == std::string_view::npos)
            return std::nullopt;
        start.rest.remove_prefix(end + 1);
    }
    start.marks = start.rest.substr(0, 2);
    if (start.marks.find_first_not_of(flags) != std::string_view::npos || start.rest.size() < 3 ||
        start.rest[2] != ' ')
        return std::nullopt;
    start.rest.remove_prefix(3);
    start.where = take_plain_word(start.rest);
    skip_blanks(start.rest);
    if (start.where.find('/') == std::string_view::npos)
        return std::nullopt;
    return start;
}

// Returns the table in a heading: red for `VRF red:`, 100 for `VRF default table 100:`. Later versions add
// `IPv4 unicast` before it. Returns nothing for other headings.
std::optional<std::string_view> shown_table_in(std::string_view line) {
    constexpr std::string_view begin = "VRF ", of_default = "default table ";
    const std::size_t at = line.find(begin);
    if (at == std::string_view::npos)
        return std::nullopt;
    line.remove_prefix(at + begin.size());
    line.remove_suffix(1);
    if (line.starts_with(of_default))
        line.remove_prefix(of_default.size());
    return line == "254" ? shown_main_tables.front() : line;
}

} // namespace

show_route_reader::show_route_reader(std::string file, const table_options& options)
    : fixed_reader(std::move(file), options, "output of show ip route", {shown_columns, shown_columns.size()},
                   shown_main_tables) {
    report_format("output of show ip route");
}

bool show_route_reader::take_line(std::string_view line) {
    if (trimmed(line).empty() || line.starts_with("Codes:")) {
        is_legend_ = !trimmed(line).empty();
        drops_rest_ = false;
        return add_route();
    }
    if (is_legend_)
        return true;
    if (line[0] != ' ')
        return begin_route(line);
    if (!route_)
        return drops_rest_ || refuse(line, "a next hop, but no route precedes it");
    std::string_view rest = line;
    skip_blanks(rest);
    // Other next hops have their own marks; `b` marks a backup next hop.
    const bool is_backup = rest.starts_with("b ");
    if (rest.size() > 1 && rest[1] == ' ' && flags.find(rest[0]) != std::string_view::npos)
        rest.remove_prefix(1);
    return is_backup || take_hop(line, rest);
}

bool show_route_reader::begin_route(std::string_view line) {
    if (!add_route())
        return false;
    drops_rest_ = true;
    if (command_after_prompt(line))
        return true;
    if (line.ends_with(':')) {
        if (const auto table = shown_table_in(line))
            table_ = *table;
        return true;
    }
    const auto first = cut_first(line);
    if (!first)
        return refuse(line,
                      "not a route of show ip route, which begins with a letter, two marks and a prefix");
    route_ = open_route{};
    route_->where = first->where;
    route_->table = table_;
    route_->protocol = protocol_of(first->letter);
    route_->is_selected = first->marks.starts_with('>');
    route_->line = lines_read();
    std::string_view rest = first->rest;
    if (rest.starts_with('[')) {
        const std::size_t slash = rest.find('/'), end = rest.find(']');
        if (end == std::string_view::npos || slash > end) {
            route_.reset();
            return refuse(line, "no [distance/metric] after the prefix");
        }
        route_->distance = rest.substr(1, slash - 1);
        route_->metric = rest.substr(slash + 1, end - slash - 1);
        rest.remove_prefix(end + 1);
    }
    return take_hop(line, rest);
}

bool show_route_reader::take_hop(std::string_view line, std::string_view text) {
    text = trimmed(text);
    if (text.starts_with("via ")) {
        text.remove_prefix(4);
        std::string_view hop = take_part(text);
        const std::string_view gateway = take_plain_word(hop);
        if (hop.find("inactive") != std::string_view::npos)
            return true;
        append_hop(hop.find("(recursive)") != std::string_view::npos ? route_->recursive : route_->gateways,
                   gateway);
        append_hop(route_->devices, device_of(take_part(text)));
        return true;
    }
    if (text.starts_with("is directly connected")) {
        (void)take_part(text);
        const std::string_view device = device_of(take_part(text));
        if (device == "Null0")
            route_->drops = "blackhole";
        else
            append_hop(route_->devices, device);
        return true;
    }
    if (text.starts_with("unreachable")) {
        route_->drops = drop_type(take_part(text));
        return true;
    }
    route_.reset();
    drops_rest_ = true;
    return refuse(line, "expected a next hop: via, is directly connected, or unreachable");
}

bool show_route_reader::add_route() {
    if (!route_)
        return true;
    const open_route route = std::move(*route_);
    route_.reset();
    fixed_columns* const columns = table_for(route.table, route.where);
    if (columns == nullptr)
        return true;
    if (!route.is_selected) {
        columns->leave_out();
        return true;
    }
    const std::string& next_hop = !route.drops.empty()       ? route.drops
                                  : !route.gateways.empty()  ? route.gateways
                                  : !route.recursive.empty() ? route.recursive
                                                             : route.devices;
    const std::array<std::string_view, 5> cells{next_hop, route.devices, route.protocol, route.distance,
                                                route.metric};
    return check_at(route.line, columns->add(route.where, cells));
}

bool show_route_reader::take_end() {
    return add_route();
}

namespace {

bool is_show_route(std::string_view line) {
    if (line.starts_with("Codes: K - kernel route"))
        return true;
    if (has_command(line, "route") && !has_command(line, "bgp"))
        return true;
    const auto first = cut_first(line);
    return first && (first->rest.starts_with('[') || first->rest.starts_with("is directly connected"));
}

} // namespace

extern const format_entry show_route_format;
constinit const format_entry show_route_format{
    .name = "show-route",
    .summary = "output of `show ip route` and `show ipv6 route` of FRR and Quagga",
    .has_line = [](const detected_line& at, const table_options&) { return is_show_route(at.line); },
    .has_routing_tables = true,
    .open = open_reader<show_route_reader>};

} // namespace fingerpost::io
