// Writes records from the inside out: attributes, entry, body, header.
#include "io/format/mrt/mrt_writer.hpp"

#include <charconv>
#include <limits>
#include <variant>
#include <vector>

#include "fingerpost/base/narrow.hpp"
#include "fingerpost/net/text.hpp"
#include "io/format/mrt/types.hpp"

namespace fingerpost::io::mrt {
namespace {

constexpr std::uint8_t well_known = 0x40; // an attribute flag: transitive
constexpr std::uint8_t optional_local = 0x80;
constexpr std::uint8_t origin_attribute = 1;
constexpr char origin_incomplete = 2; // the origin is unknown
constexpr std::uint8_t segment_set = 1;
constexpr std::uint8_t segment_sequence = 2;
constexpr std::size_t max_segment_members = 255;
constexpr std::uint8_t ipv6_peer = 1; // a bit of the peer type
constexpr std::uint8_t wide_as_peer = 2;

template <class T>
void put(T number, std::string& out) {
    for (unsigned shift = 8 * sizeof(T); shift != 0; shift -= 8)
        out += static_cast<char>(static_cast<std::uint8_t>(number >> (shift - 8)));
}

// Appends a count of the bytes or ASes that follow, as a number of type T.
template <class T>
void put_count(std::size_t count, std::string& out) {
    check_size(count, std::numeric_limits<T>::max(), "bytes of a record");
    put(T(count), out);
}

// Appends the first bytes of an address.
template <class A>
void put_address(A address, std::size_t bytes, std::string& out) {
    for (std::size_t i = 0; i < bytes; ++i)
        out += static_cast<char>(static_cast<std::uint8_t>(address.value >> (A::bits - 8 - 8 * i)));
}
template <class A>
void put_address(A address, std::string& out) {
    put_address(address, A::bits / 8, out);
}

void put_record(std::uint32_t seconds, std::uint16_t subtype, std::string_view body, std::string& out) {
    put(seconds, out);
    put(type::table_dump_v2, out);
    put(subtype, out);
    put_count<std::uint32_t>(body.size(), out);
    out += body;
}

// Values of more than 255 bytes, such as paths with large sets, need a 2-byte length field.
void put_attribute(std::uint8_t flags, std::uint8_t kind, std::string_view value, std::string& out) {
    constexpr std::uint8_t extended_length = 0x10;
    const bool is_long = value.size() > 255;
    put(static_cast<std::uint8_t>(is_long ? flags | extended_length : flags), out);
    put(kind, out);
    if (is_long)
        put_count<std::uint16_t>(value.size(), out);
    else
        put_count<std::uint8_t>(value.size(), out);
    out += value;
}

// Parses a next hop that a route of this family can have.
template <class A>
any_next_hop read_next_hop(std::string_view text) {
    if (const auto six = parse_address<ipv6_address>(text))
        return *six;
    if constexpr (A::bits == ipv4_address::bits)
        if (const auto four = parse_address<ipv4_address>(text))
            return *four;
    return {};
}

// Appends a length and the bytes of the prefix that it covers.
template <class A>
void put_prefix(const prefix<A>& where, std::string& out) {
    put(where.length, out);
    put_address(where.base, (where.length + 7u) / 8, out);
}

template <class A>
void put_next_hop(const any_next_hop& hop, const prefix<A>& where, reach_form form, std::string& out) {
    std::string value;
    if (const auto* const four = std::get_if<ipv4_address>(&hop)) {
        put_address(*four, value);
        put_attribute(well_known, attribute_type::next_hop, value, out);
        return;
    }
    if (form == reach_form::whole) {
        put(A::bits == ipv4_address::bits ? afi_ipv4 : afi_ipv6, value);
        put(safi_unicast, value);
    }
    put(static_cast<std::uint8_t>(ipv6_address::bits / 8), value);
    put_address(std::get<ipv6_address>(hop), value);
    if (form == reach_form::whole) {
        put(std::uint8_t{0}, value); // reserved
        put_prefix(where, value);
    }
    put_attribute(optional_local, attribute_type::mp_reach_nlri, value, out);
}

// Reads `N` or `{N,N}`. Returns nothing for other texts, and for more numbers than a path segment can hold.
std::optional<std::vector<std::uint32_t>> read_origin(std::string_view text) {
    const bool is_set = text.starts_with('{') && text.ends_with('}');
    if (is_set)
        text = text.substr(1, text.size() - 2);
    std::vector<std::uint32_t> members;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
        if (!members.empty()) {
            if (!is_set || *at != ',')
                return std::nullopt;
            ++at;
        }
        std::uint32_t as = 0;
        const auto [stop, fault] = std::from_chars(at, end, as);
        if (fault != std::errc{} || members.size() == max_segment_members)
            return std::nullopt;
        members.push_back(as);
        at = stop;
    }
    if (is_set && members.empty())
        return std::nullopt;
    return members;
}

void put_segment(std::uint8_t kind, const std::vector<std::uint32_t>& members, std::string& out) {
    put(kind, out);
    put_count<std::uint8_t>(members.size(), out);
    for (const std::uint32_t as : members)
        put(as, out);
}

// Returns the path from the peer to the origin.
std::string path_between(std::uint32_t peer_as, const std::vector<std::uint32_t>& origin, bool is_set) {
    std::string path;
    std::vector<std::uint32_t> sequence{peer_as};
    if (!is_set && !origin.empty() && origin.front() != peer_as)
        sequence.push_back(origin.front());
    put_segment(segment_sequence, sequence, path);
    if (is_set)
        put_segment(segment_set, origin, path);
    return path;
}

} // namespace

void table_writer::begin(std::string& out) const {
    std::string body;
    put_address(options_.collector, body);
    put(std::uint16_t{0}, body); // length of the view's name
    put(std::uint16_t{1}, body); // number of peers
    const bool is_six = std::holds_alternative<ipv6_address>(options_.from.address);
    put(static_cast<std::uint8_t>(wide_as_peer | (is_six ? ipv6_peer : 0)), body);
    put_address(options_.identifier, body);
    std::visit([&](const auto& address) { put_address(address, body); }, options_.from.address);
    put(options_.from.as, body);
    put_record(options_.seconds, table_dump_v2_subtype::peer_index_table, body, out);
}

template <class A>
std::string table_writer::add(const prefix<A>& where, const written_values& values, std::string& out) {
    constexpr bool is_four = A::bits == ipv4_address::bits;
    any_next_hop hop = read_next_hop<A>(values.next_hop);
    if (hop.index() == 0) {
        const auto& substitute = [&]() -> const auto& {
            if constexpr (is_four)
                return options_.ipv4_substitute;
            else
                return options_.ipv6_substitute;
        }();
        if (!substitute)
            return values.next_hop.empty() ? "the route has no next hop"
                                           : "the next hop is not an address that BGP can carry";
        hop = *substitute;
        ++substituted_;
    }
    const auto origin = read_origin(values.origin_as);
    if (!origin)
        return "the origin AS is neither a number nor a set of numbers";
    std::string attributes;
    put_attribute(well_known, origin_attribute, std::string(1, origin_incomplete), attributes);
    put_attribute(well_known, attribute_type::as_path,
                  path_between(options_.from.as, *origin, values.origin_as.starts_with('{')), attributes);
    put_next_hop(hop, where, options_.reach, attributes);

    std::string body;
    put(number_++, body);
    put_prefix(where, body);
    put(std::uint16_t{1}, body); // number of entries
    put(std::uint16_t{0}, body); // index of the peer
    put(options_.seconds, body); // time at which the route was learned
    put_count<std::uint16_t>(attributes.size(), body);
    body += attributes;
    put_record(options_.seconds,
               is_four ? table_dump_v2_subtype::rib_ipv4_unicast : table_dump_v2_subtype::rib_ipv6_unicast,
               body, out);
    return {};
}

template std::string table_writer::add(const ipv4_prefix&, const written_values&, std::string&);
template std::string table_writer::add(const ipv6_prefix&, const written_values&, std::string&);

} // namespace fingerpost::io::mrt
