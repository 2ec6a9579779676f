// What a map, its readers and its transactions share: a part for each family.
#pragma once

#include <concepts>
#include <cstddef>
#include <new>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "fingerpost/base/owner.hpp"
#include "fingerpost/base/reason.hpp"
#include "fingerpost/map/family_map.hpp"
#include "fingerpost/registry/one_scheme.hpp"

namespace fingerpost {

// As table_options, without policy::in_place: its readers could see a number before the value that it stands
// for. A scheme that is not given is the default one; another one links itself, and all if it comes from
// find_scheme().
struct map_options {
    const scheme_entry<ipv4_address>* ipv4_scheme = nullptr;
    const scheme_entry<ipv6_address>* ipv6_scheme = nullptr;
    policy update = policy::automatic;
    build_options build{};
    std::size_t most_old_versions = 4;
    std::optional<nanoseconds> patience{};
};

namespace detail {

template <class T, bool shares>
struct map_state {
    map_state(table<ipv4_address> four, table<ipv6_address> six) noexcept
        : ipv4(std::move(four)), ipv6(std::move(six)) {}

    // The part of addresses of this type.
    auto& of(ipv4_address) noexcept { return ipv4; }
    auto& of(ipv6_address) noexcept { return ipv6; }
    const auto& of(ipv4_address) const noexcept { return ipv4; }
    const auto& of(ipv6_address) const noexcept { return ipv6; }
    void settle() noexcept {
        ipv4.settle();
        ipv6.settle();
    }

    family_map<ipv4_address, T, shares> ipv4;
    family_map<ipv6_address, T, shares> ipv6;
};

template <class A>
expected<table<A>> make_map_table(const scheme_entry<A>* scheme, const map_options& options) noexcept {
    table_options of;
    of.update = options.update;
    of.build = options.build;
    of.most_old_versions = options.most_old_versions;
    of.patience = options.patience;
    return table<A>::create(scheme == nullptr ? default_scheme_alone<A>() : *scheme, of);
}

template <class T, bool shares>
expected<owner<map_state<T, shares>>> make_map_state(const map_options& options) {
    if (options.update == policy::in_place)
        return unexpected{errc::unsupported};
    auto four = make_map_table(options.ipv4_scheme, options);
    if (!four)
        return unexpected{four.error()};
    auto six = make_map_table(options.ipv6_scheme, options);
    if (!six)
        return unexpected{six.error()};
    auto* const made = new (std::nothrow) map_state<T, shares>(std::move(*four), std::move(*six));
    if (made == nullptr)
        return unexpected{errc::out_of_memory};
    return owner<map_state<T, shares>>(made);
}
// With the usual options only memory can be missing.
template <class T, bool shares>
owner<map_state<T, shares>> map_state_or_throw() {
    auto made = make_map_state<T, shares>({});
    if (!made)
        throw std::bad_alloc();
    return std::move(*made);
}

// Queries that a map, its snapshots and its image have in common. `hop_of(a)` is the next hop of the longest
// match of an address of either family, `State` has what family_map knows of each.

// found(address) for the form that answers (in_answering_form() of net/mapped.hpp).
template <class State, class A, class Hop, class Found>
auto by_form(const State& in, A a, Hop hop_of, Found found) noexcept {
    // Most addresses have one form.
    if constexpr (A::bits == ipv4_address::bits) {
        if (!in.ipv6.has_mapped())
            return found(a);
    } else if (!is_ipv4_mapped(a)) {
        return found(a);
    }
    const auto has_ipv4 = [&](ipv4_address b) { return hop_of(b) != next_hop::none; };
    const auto ipv6_length = [&](ipv6_address b) { return in.ipv6.mapped_length(b, hop_of(b)); };
    return in_answering_form(a, has_ipv4, ipv6_length, found);
}
template <class State, class A, class Hop>
auto lookup_in(const State& in, const A& a, Hop hop_of) noexcept {
    return by_family(a, [&](const auto& b) {
        return by_form(in, b, hop_of, [&](const auto& c) { return in.of(c).value_of(hop_of(c)); });
    });
}
// After a lookup of many: those that another form of the address answers.
template <class State, class A, class T, class Hop>
void ask_other_forms(const State& in, std::span<const A> addresses, std::span<T> out, Hop hop_of) noexcept {
    constexpr bool is_ipv4 = A::bits == ipv4_address::bits;
    if (is_ipv4 && !in.ipv6.has_mapped())
        return;
    const auto has_other = [&](std::size_t i) {
        if constexpr (is_ipv4)
            return out[i] == nullptr;
        else
            return is_ipv4_mapped(addresses[i]);
    };
    for (std::size_t i = 0; i < addresses.size(); ++i)
        if (has_other(i))
            out[i] = lookup_in(in, addresses[i], hop_of);
}
// The prefix in the form of addresses of this type.
template <class A, class P>
prefix_for<A> prefix_as(const P& where) noexcept {
    if constexpr (std::convertible_to<P, prefix_for<A>>)
        return where;
    else if constexpr (P::address_type::bits == ipv4_address::bits)
        return mapped(where);
    else
        return unmapped(where);
}
template <class A, class State, class Hop>
auto match_in(const State& in, const A& a, Hop hop_of) noexcept {
    using entry = typename decltype(in.ipv4.match({}))::value_type;
    using found_entry =
        map_entry<prefix_for<A>, std::remove_const_t<std::remove_pointer_t<decltype(entry::value)>>>;
    return by_family(a, [&](const auto& b) {
        return by_form(in, b, hop_of, [&](const auto& c) -> std::optional<found_entry> {
            const auto found = in.of(c).match(c);
            return found ? std::optional(found_entry{prefix_as<A>(found->where), found->value})
                         : std::nullopt;
        });
    });
}
template <class P, class State>
auto covering_in(const State& in, const P& p) {
    return by_family(p, [&](const auto& q) { return in.of(q.base).template covering<P>(q); });
}
template <class P, class State>
auto covered_in(const State& in, const P& p) {
    return by_family(p, [&](const auto& q) { return in.of(q.base).template covered<P>(q); });
}

} // namespace detail
} // namespace fingerpost
