// Reads the length next to an address, and compares it with the network's own length.
#include "io/format/parts/network_length.hpp"

#include <algorithm>
#include <charconv>

#include "io/format/parts/words.hpp"

namespace fingerpost::io {
namespace {

std::optional<unsigned> number_up_to(unsigned limit, std::string_view text) {
    unsigned number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_plain = read.ec == std::errc() && read.ptr == text.data() + text.size() &&
                          (text.size() == 1 || text[0] != '0');
    return is_plain && number <= limit ? std::optional(number) : std::nullopt;
}

template <class A>
std::optional<unsigned> length_for(std::string_view text, length_rule rule) {
    const auto mask = parse_address<A>(text);
    if (mask)
        return rule.is_wildcard ? wildcard_length(*mask) : length_of_mask(*mask);
    return number_up_to(A::bits, text.substr(text.starts_with('/') ? 1 : 0));
}

// A range from 0.0.0.0 to a wildcard covers the same addresses as a network. It is part of a table of ranges,
// which often ends with the last address of the family.
template <class A>
bool is_mask_of(std::string_view address, std::string_view text) {
    const auto base = parse_address<A>(address);
    const auto mask = parse_address<A>(text);
    if (!base || !mask)
        return false;
    if (const auto length = netmask_length(*mask); length && *length != A::bits)
        return *length != 0 || base->value == 0;
    if (*mask != A::last())
        return wildcard_length(*mask) && base->value != 0 && (base->value & mask->value) == 0;
    // From 224.0.0.0 and ff00:: on, tables have no single addresses.
    constexpr unsigned multicast_bits = A::bits == 32 ? 3 : 8;
    return base->value != 0 && base->value < network_mask<A>(multicast_bits);
}

std::string longest_of(std::string_view address) {
    return detect_family(address) == family::ipv4 ? "32" : "128";
}

// Compares the length column with a network that has its own length, a range, or `default`.
std::optional<route_fault> contradiction(std::string_view network, std::string_view beside,
                                         length_rule rule) {
    const std::size_t slash = network.find('/');
    const bool is_default = network == "default";
    const std::string_view address = is_default ? "0.0.0.0" : network.substr(0, slash);
    const auto length = length_beside(address, beside, rule);
    if (!length)
        return rule.is_value ? std::nullopt
                             : std::optional(route_fault{std::string(beside), "not a prefix length"});
    std::optional<unsigned> own;
    if (is_default)
        own = 0;
    else if (slash != std::string_view::npos)
        own = length_beside(address, network.substr(slash + 1));
    if (own ? own == length : rule.is_value)
        return std::nullopt;
    return route_fault{std::string(network) + " " + std::string(beside),
                       own ? "the length in the other column differs"
                           : "a length next to a range, which is not one network"};
}

template <class A>
bool has_hosts_alone(const loaded_table<A>& table) {
    return std::all_of(table.routes.begin(), table.routes.end(),
                       [](const route<A>& entry) { return entry.where.length == A::bits; });
}

// Returns whether some text of a column is shorter than an address. Returns nothing if a text is not the
// length of its prefix.
template <class A>
std::optional<bool> has_lengths(const loaded_table<A>& table, std::size_t column) {
    bool is_shorter = false;
    for (const route<A>& entry : table.routes) {
        const auto length = length_for<A>(table.values.cell(entry.hop, column), {});
        if (!length || !prefix<A>::is_canonical(entry.where.base, *length))
            return std::nullopt;
        is_shorter = is_shorter || *length < A::bits;
    }
    return is_shorter;
}

} // namespace

std::string unused_lengths(const both_tables& tables) {
    if (!has_hosts_alone(tables.ipv4) || !has_hosts_alone(tables.ipv6))
        return {};
    const value_rows& values = tables.ipv4.values;
    for (std::size_t i = 0; i < values.columns(); ++i) {
        const auto ipv4 = has_lengths(tables.ipv4, i);
        const auto ipv6 = has_lengths(tables.ipv6, i);
        if (ipv4 && ipv6 && (*ipv4 || *ipv6))
            return std::string(values.name(i));
    }
    return {};
}

std::optional<unsigned> length_beside(std::string_view address, std::string_view text, length_rule rule) {
    const auto kind = detect_family(address);
    if (!kind)
        return std::nullopt;
    return *kind == family::ipv4 ? length_for<ipv4_address>(text, rule)
                                 : length_for<ipv6_address>(text, rule);
}

bool is_mask_beside(std::string_view address, std::string_view text) {
    return is_mask_of<ipv4_address>(address, text) || is_mask_of<ipv6_address>(address, text);
}

bool is_prefix_with_length(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos)
        return false;
    const std::string_view address = text.substr(0, slash);
    const std::string_view length = text.substr(slash + 1);
    return parse_address(address) && !length.starts_with('/') && length_beside(address, length);
}

bool has_own_length(std::string_view network) {
    // Takes less time than find_first_of(); this is called for every row.
    const auto has = [network](char c) { return network.find(c) != std::string_view::npos; };
    return has('/') || has('-') || !detect_family(network);
}

std::optional<route_fault> join_length(std::string_view& network, std::string_view beside, length_rule rule,
                                       std::string& buffer) {
    if (has_own_length(network))
        return beside.empty() ? std::nullopt : contradiction(network, beside, rule);
    const auto length = length_beside(network, beside, rule);
    if (!length && rule.is_value)
        return std::nullopt;
    if (beside.empty())
        return route_fault{std::string(network), "no length for this address"};
    if (!length)
        return route_fault{std::string(beside),
                           "neither a prefix length up to " + longest_of(network) + " nor a mask"};
    // This is a wildcard for the address alone, or a mask for every address.
    if (beside == "0.0.0.0" && !rule.is_wildcard && network != "0.0.0.0")
        return route_fault{std::string(network) + " 0.0.0.0", "this mask clears all bits of the address"};
    buffer.assign(network).append("/").append(std::to_string(*length));
    network = buffer;
    return std::nullopt;
}

} // namespace fingerpost::io
