// Result types of map queries, and the types of prefixes and addresses that they accept.
#pragma once

#include <concepts>
#include <optional> // std::hash
#include <type_traits>

#include "fingerpost/net/any.hpp"

namespace fingerpost {

// A prefix and its value, which is never null.
template <class P, class T>
struct map_entry {
    P where{};
    const T* value = nullptr;
};

// Storage of values. `shared`: equal values are stored once, so a large map with few different values is
// small and its lookups are fast. `own`: each prefix has its own object, and T need not be comparable.
enum class map_values : unsigned char { shared, own };

template <class T>
concept shareable_value = requires(const T& value) {
    { std::hash<T>{}(value) } -> std::convertible_to<std::size_t>;
    { value == value } -> std::convertible_to<bool>;
};
// Shared if T has operator== and std::hash, except for floating point, where 0.0 == -0.0.
template <class T>
inline constexpr map_values usual_map_values =
    shareable_value<T> && !std::is_floating_point_v<T> ? map_values::shared : map_values::own;

template <class P>
concept map_prefix =
    std::same_as<P, ipv4_prefix> || std::same_as<P, ipv6_prefix> || std::same_as<P, any_prefix>;
template <class A>
concept map_address =
    std::same_as<A, ipv4_address> || std::same_as<A, ipv6_address> || std::same_as<A, any_address>;

namespace detail {

// Type of the prefixes that match addresses of this type.
template <class A>
struct prefix_of_address {
    using type = prefix<A>;
};
template <>
struct prefix_of_address<any_address> {
    using type = any_prefix;
};
template <class A>
using prefix_for = typename prefix_of_address<A>::type;

// Returns ask(key) with the prefix or address stored in `key`.
template <class Ask, class A>
decltype(auto) by_family(const prefix<A>& key, Ask ask) {
    return ask(key);
}
template <class Ask, unsigned bits>
decltype(auto) by_family(address<bits> key, Ask ask) {
    return ask(key);
}
template <class Ask, class... Keys>
decltype(auto) by_family(const std::variant<Keys...>& key, Ask ask) {
    return std::visit(ask, key);
}

} // namespace detail
} // namespace fingerpost
