// Loads a table file, and parses all of its next hops before it announces any route.
#include "router/routes/file/file_routes.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "fingerpost/net/text.hpp"
#include "io/format/parts/printable.hpp"
#include "io/source/any_table.hpp"
#include "system/log.hpp"

namespace fingerpost::router {

namespace {

constexpr std::string_view port_prefix = "port:";

std::optional<any_address> address_of(std::string_view text) {
    const auto address = parse_address(text);
    return address ? std::optional(*address) : std::nullopt;
}

expected<std::uint32_t, std::string> interface_of(std::string_view name,
                                                  const interface_numbers& interfaces) {
    if (const auto number = interfaces(name))
        return *number;
    return unexpected{fmt::format("there is no interface {}", io::quoted(name))};
}

destination by_path(path exit) {
    return {action::forward, {std::move(exit)}};
}

// Destinations by next hop number; or the first invalid next hop, and the reason.
struct bad_hop {
    next_hop hop;
    std::string reason;
};

expected<std::vector<destination>, bad_hop> parse_all(const value_rows& names,
                                                      const interface_numbers& interfaces) {
    std::vector<destination> destinations;
    destinations.reserve(names.size());
    for (std::uint32_t id = 0; id < names.size(); ++id) {
        auto parsed = parse_destination(names[next_hop{id}], interfaces);
        if (!parsed)
            return unexpected{bad_hop{{id}, parsed.error()}};
        destinations.push_back(std::move(*parsed));
    }
    return destinations;
}

// Tables do not keep line numbers, so the message shows the first route with this next hop. If a later line
// has replaced that route, only the next hop is shown.
template <class A>
io::input_error error_of(const std::string& file, const io::loaded_table<A>& table, const bad_hop& bad) {
    const auto first = std::find_if(table.routes.begin(), table.routes.end(),
                                    [&](const route<A>& entry) { return entry.hop == bad.hop; });
    const std::string_view hop = table.values[bad.hop];
    if (first == table.routes.end())
        return {file, 0, std::string(hop), bad.reason};
    return {file, 0, fmt::format("{} {}", to_string(first->where), hop), bad.reason};
}

template <class A>
void announce_all(route_sink& sink, vrf_number vrf, const io::loaded_table<A>& table,
                  const std::vector<destination>& hops) {
    for (const route<A>& entry : table.routes)
        sink.announce(vrf, entry.where, hops[entry.hop.id]);
}

} // namespace

expected<destination, std::string> parse_destination(std::string_view text,
                                                     const interface_numbers& interfaces) {
    if (text.empty())
        return unexpected{std::string("a route needs a next hop")};
    if (text == "blackhole")
        return destination{action::blackhole, {}};
    if (text == "unreachable")
        return destination{action::unreachable, {}};
    if (text == "prohibit")
        return destination{action::prohibit, {}};
    if (const auto gateway = address_of(text))
        return by_path({gateway, 0, 1});
    const std::size_t zone = text.find('%');
    const auto zoned = zone == std::string_view::npos ? std::nullopt : address_of(text.substr(0, zone));
    std::string_view name = text;
    if (zoned)
        name = text.substr(zone + 1);
    else if (text.starts_with(port_prefix))
        name = text.substr(port_prefix.size());
    const auto interface = interface_of(name, interfaces);
    if (interface)
        return by_path({zoned, *interface, 1});
    if (zoned || name != text)
        return unexpected{interface.error()};
    return unexpected{std::string("not an address, an interface, blackhole, unreachable or prohibit")};
}

struct file_routes::read_file {
    vrf_number vrf = default_vrf;
    io::both_tables tables;
    std::vector<destination> ipv4;
    std::vector<destination> ipv6;
};

file_routes::file_routes(route_sink& sink, std::string path, interface_numbers interfaces,
                         std::vector<vrf_file> of_vrfs)
    : sink_(sink), files_(std::move(of_vrfs)), interfaces_(std::move(interfaces)) {
    files_.insert(files_.begin(), {default_vrf, std::move(path)});
}

expected<file_routes::read_file, io::input_error> file_routes::read(const vrf_file& file) const {
    // Users of the router cannot choose how the file is read.
    io::read_options how;
    how.table.advice = io::no_advice;
    how.table.on_left_out = [&file](const std::string& words) {
        system::log(system::log_level::warning, "{}: left out {}", io::printable(file.path), words);
    };
    how.mrt.values = io::mrt_values::next_hop;
    how.on_recorded = [&file](const io::mrt_report& mrt) {
        if (mrt.counted.damaged != 0)
            system::log(system::log_level::warning,
                        "{}: {} damaged records skipped, {} bytes; the first at byte {}: {}",
                        io::printable(file.path), mrt.counted.damaged, mrt.counted.damaged_bytes,
                        mrt.damaged.front().offset, mrt.damaged.front().reason);
    };
    auto tables = io::load_both(file.path, how);
    if (!tables)
        return unexpected{tables.error()};
    auto four = parse_all(tables->ipv4.values, interfaces_);
    if (!four)
        return unexpected{error_of(file.path, tables->ipv4, four.error())};
    auto six = parse_all(tables->ipv6.values, interfaces_);
    if (!six)
        return unexpected{error_of(file.path, tables->ipv6, six.error())};
    return read_file{file.vrf, std::move(*tables), std::move(*four), std::move(*six)};
}

std::optional<io::input_error> file_routes::load() {
    std::vector<read_file> files;
    for (const vrf_file& file : files_) {
        auto contents = read(file);
        if (!contents)
            return contents.error();
        files.push_back(std::move(*contents));
    }
    sink_.begin_refresh();
    std::size_t count = 0;
    for (const read_file& file : files) {
        announce_all(sink_, file.vrf, file.tables.ipv4, file.ipv4);
        announce_all(sink_, file.vrf, file.tables.ipv6, file.ipv6);
        count += file.tables.ipv4.routes.size() + file.tables.ipv6.routes.size();
    }
    sink_.sweep();
    sink_.commit();
    routes_ = count;
    return std::nullopt;
}

} // namespace fingerpost::router
