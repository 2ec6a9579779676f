// What a map, its readers and its transactions share: a part for each family.
#pragma once

#include <cstddef>
#include <new>
#include <optional>
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

// Queries that a map and its snapshots have in common.
template <class A, class State>
auto match_in(const State& in, const A& a) noexcept {
    using entry = typename decltype(in.ipv4.template covered<prefix_for<A>>({}))::value_type;
    return by_family(a, [&](const auto& b) -> std::optional<entry> {
        const auto found = in.of(b).match(b);
        return found ? std::optional<entry>(entry{found->where, found->value}) : std::nullopt;
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
