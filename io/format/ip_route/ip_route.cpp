// Reads the text and the JSON of `ip route` into the same routes.
#include "io/format/ip_route/ip_route.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "io/format/parts/format_entry.hpp"
#include "io/format/parts/words.hpp"

namespace fingerpost::io {
namespace {

constexpr std::array<std::string_view, 9> types{
    "unicast", "local", "broadcast", "multicast", "anycast", "blackhole", "prohibit", "unreachable", "throw"};
constexpr std::array<std::string_view, 14> keys{"via",   "dev",  "proto", "nexthop", "metric",
                                                "scope", "src",  "table", "nhid",    "encap",
                                                "mtu",   "pref", "tos",   "from"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

// Takes a word that ends at a blank. `ip -o` writes a backslash instead of a line end.
std::string_view take_blank_word(std::string_view& rest) {
    skip_blanks(rest);
    const std::size_t size = std::min(rest.find_first_of(" \t"), rest.size());
    const std::string_view word = rest.substr(0, size);
    rest.remove_prefix(size);
    return word == "\\" && !rest.empty() ? take_blank_word(rest) : word;
}

} // namespace

bool is_route_type(std::string_view word) noexcept {
    return is_one_of(types, word);
}
bool is_route_key(std::string_view word) noexcept {
    return is_one_of(keys, word);
}

ip_route_reader::ip_route_reader(std::string file, const table_options& options)
    : line_reader(fault_log(std::move(file), options.skip_bad, options.on_skip), "output of ip route",
                  options.policy) {
    auto routes = kernel_routes::make(options);
    if (routes)
        routes_.emplace(std::move(*routes));
    else
        fail({}, routes.error());
    if (options.on_understood)
        options.on_understood("output of ip route");
}

bool ip_route_reader::feed(std::string_view chunk) {
    return feed_lines(chunk, [this](std::string_view line) { return take_line(line); });
}

bool ip_route_reader::take_line(std::string_view line) {
    if (has_return(line))
        return refuse(line, return_in_line);
    if (line.find('\0') != std::string_view::npos)
        return refuse(line, "there is a NUL byte in the line");
    std::string_view rest = line;
    std::string_view word = take_blank_word(rest);
    if (word == "nexthop") {
        if (!route_)
            return refuse(line, "nexthop without a route before it");
        take_words(line);
        return true;
    }
    if (!add_route())
        return false;
    if (word.empty() || word.starts_with('#'))
        return true;
    route_.emplace();
    route_->line = lines_read();
    if (is_route_type(word)) {
        route_->type = word;
        word = take_blank_word(rest);
    }
    if (word.empty()) {
        route_.reset();
        return refuse(line, "no prefix");
    }
    route_->where = word;
    take_words(rest);
    return true;
}

// Skips unknown words, which may be options of a later version of `ip`, with or without a value. The words
// between `encap` and the next hop describe the encapsulation, although some of them are also keys of routes.
void ip_route_reader::take_words(std::string_view rest) {
    kernel_route& route = *route_;
    bool is_encapsulation = false;
    for (std::string_view key = take_blank_word(rest); !key.empty(); key = take_blank_word(rest)) {
        if (key == "via") {
            is_encapsulation = false;
            take_gateway(rest);
        } else if (key == "dev") {
            is_encapsulation = false;
            route.add_device(take_blank_word(rest));
        } else if (key == "nexthop") {
            route.begin_hop();
        } else if (key == "dead") {
            route.drop_hop();
        } else if (key == "proto") {
            is_encapsulation = false;
            route.protocol = take_blank_word(rest);
        } else if (key == "encap") {
            is_encapsulation = true;
        } else if (!is_encapsulation) {
            take_key(key, rest);
        }
    }
}

void ip_route_reader::take_gateway(std::string_view& rest) {
    std::string_view gateway = take_blank_word(rest);
    const bool is_named = gateway == "inet" || gateway == "inet6";
    if (is_named)
        gateway = take_blank_word(rest);
    // `ip` marks a gateway of the other family.
    const auto gateway_family = detect_family(gateway);
    if (!is_named && !route_->known)
        route_->known = gateway_family;
    else if (is_named && gateway_family)
        route_->known = *gateway_family == family::ipv4 ? family::ipv6 : family::ipv4;
    route_->add_gateway(gateway);
}

void ip_route_reader::take_key(std::string_view key, std::string_view& rest) {
    struct named_value {
        std::string_view key;
        std::string kernel_route::*member;
    };
    static constexpr std::array<named_value, 6> values{{{"metric", &kernel_route::metric},
                                                        {"table", &kernel_route::table},
                                                        {"nhid", &kernel_route::next_hop_object},
                                                        {"tos", &kernel_route::service},
                                                        {"from", &kernel_route::source},
                                                        {"pref", &kernel_route::preference}}};
    for (const named_value& named : values)
        if (key == named.key)
            (*route_).*named.member = take_blank_word(rest);
    // Only IPv4 routes have a scope, and only IPv6 routes have a preference.
    if (key == "scope" || key == "pref")
        route_->note_family(key == "scope" ? family::ipv4 : family::ipv6);
    else if (key == "src")
        route_->note_family(detect_family(take_blank_word(rest)));
}

bool ip_route_reader::add_route() {
    if (!route_)
        return true;
    const auto fault = routes_->add(*route_);
    const std::uint64_t line = route_->line;
    route_.reset();
    return !fault || refuse_at(line, fault->text, fault->reason);
}

std::optional<input_error> ip_route_reader::complete() {
    auto error = finish_lines([this](std::string_view line) { return take_line(line); });
    if (error)
        return error;
    if (add_route())
        if (auto fault = routes_->settle())
            fail({}, std::move(*fault));
    return take_error();
}

expected<both_tables, input_error> ip_route_reader::finish_both() && {
    if (auto error = complete())
        return unexpected{std::move(*error)};
    return std::move(*routes_).finish_both(lines_read(), skipped());
}

expected<one_table, input_error> ip_route_reader::finish() && {
    if (auto error = complete())
        return unexpected{std::move(*error)};
    return std::move(*routes_).finish(lines_read(), skipped());
}

ip_route_json_reader::ip_route_json_reader(std::string file, const table_options& options)
    : object_reader(fault_log(std::move(file), options.skip_bad, options.on_skip), "nexthops") {
    auto routes = kernel_routes::make(options);
    if (routes)
        routes_.emplace(std::move(*routes));
    else
        fail({}, routes.error());
    if (options.on_understood)
        options.on_understood("output of ip -j route");
}

bool ip_route_json_reader::feed(std::string_view chunk) {
    return feed_objects(chunk, [this] { return take_object(); });
}

namespace {

// Flags are elements of an array. Each is a member with a name that ends in `.flags`.
template <class Members>
bool has_flag(const Members& members, std::string_view flag) {
    for (std::size_t i = 0; i < members.size(); ++i)
        if (members[i].text == flag && members[i].name.ends_with(".flags"))
            return true;
    return false;
}

} // namespace

bool ip_route_json_reader::take_object() {
    kernel_route route;
    route.where = members().text_of("dst");
    if (route.where.empty())
        return refuse("no member dst; ip -j route prints one for every route");
    route.type = members().text_of("type");
    route.metric = members().text_of("metric");
    route.protocol = members().text_of("protocol");
    route.table = members().text_of("table");
    route.next_hop_object = members().text_of("nhid");
    route.service = members().text_of("tos");
    route.source = members().text_of("from");
    route.preference = members().text_of("pref");
    // A gateway of the other family is in a separate object.
    const auto add_hop = [&](std::string_view gateway, std::string_view other, std::string_view device,
                             bool is_dead) {
        route.begin_hop();
        if (!other.empty()) {
            const bool is_ipv4 = detect_family(other) == family::ipv4;
            route.known = is_ipv4 ? family::ipv6 : family::ipv4;
            route.add_gateway(other);
        }
        if (!gateway.empty()) {
            route.known = detect_family(gateway);
            route.add_gateway(gateway);
        }
        if (!device.empty())
            route.add_device(device);
        if (is_dead)
            route.drop_hop();
    };
    add_hop(members().text_of("gateway"), members().text_of("via.host"), members().text_of("dev"),
            has_flag(members(), "dead"));
    for (const auto& hop : members().elements())
        add_hop(text_of(hop, "gateway"), text_of(hop, "via.host"), text_of(hop, "dev"),
                has_flag(hop, "dead"));
    if (const std::string_view scope = members().text_of("scope");
        !scope.empty() || !route.preference.empty())
        route.note_family(scope.empty() ? family::ipv6 : family::ipv4);
    route.note_family(detect_family(members().text_of("prefsrc")));
    const auto fault = routes_->add(route);
    return !fault || refuse(fault->text, fault->reason);
}

std::optional<input_error> ip_route_json_reader::complete() {
    if (auto error = finish_objects([this] { return take_object(); }))
        return error;
    if (auto fault = routes_->settle())
        fail({}, std::move(*fault));
    return take_error();
}

expected<both_tables, input_error> ip_route_json_reader::finish_both() && {
    if (auto error = complete())
        return unexpected{std::move(*error)};
    return std::move(*routes_).finish_both(lines_read(), skipped());
}

expected<one_table, input_error> ip_route_json_reader::finish() && {
    if (auto error = complete())
        return unexpected{std::move(*error)};
    return std::move(*routes_).finish(lines_read(), skipped());
}

namespace {

std::string_view first_word(std::string_view& rest) {
    skip_blanks(rest);
    const std::size_t size = std::min(rest.find_first_of(" \t"), rest.size());
    const std::string_view word = rest.substr(0, size);
    rest.remove_prefix(size);
    return word;
}

// Matches `default via 10.0.0.1 dev eth0`, `blackhole 10.0.0.0/8`, or a prefix before a line `nexthop`.
bool is_ip_route(std::string_view line, std::string_view next) {
    const std::string_view word = first_word(line);
    const std::string_view second = first_word(line);
    if (is_route_type(word))
        return starts_like_prefix(second);
    if (!starts_like_prefix(word))
        return false;
    if (first_word(next) == "nexthop")
        return true;
    const std::string_view value = first_word(line);
    return is_route_key(second) && !value.empty() && value[0] != '#';
}

// `ip` writes flags for every route, even if it has none.
bool is_ip_route_json(std::string_view start) {
    const std::string_view first = start.substr(0, start.find('}'));
    return first.find("\"dst\"") != std::string_view::npos &&
           first.find("\"flags\"") != std::string_view::npos;
}

} // namespace

extern const format_entry ip_route_format;
constinit const format_entry ip_route_format{
    .name = "ip-route",
    .summary = "output of `ip route show` and `ip -6 route show`",
    .has_line = [](const detected_line& at, const table_options&) { return is_ip_route(at.line, at.next); },
    .has_routing_tables = true,
    .open = open_reader<ip_route_reader>};

extern const format_entry ip_route_json_format;
constinit const format_entry ip_route_json_format{
    .name = "ip-route-json",
    .summary = "output of `ip -j route`",
    .has_object = [](std::string_view object) { return object.starts_with('[') && is_ip_route_json(object); },
    .has_routing_tables = true,
    .open = open_reader<ip_route_json_reader>};

} // namespace fingerpost::io
