// Queries of maps, their snapshots and their images.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "fingerpost/map/map_entry.hpp"
#include "fingerpost/net/mapped.hpp"
#include "fingerpost/net/route.hpp"
#include "fingerpost/net/text.hpp"

namespace fingerpost {

// `Self` is a map, a map_snapshot or a map_image.
//
// `a` is an ipv4_address, an ipv6_address or an any_address. Mapped addresses, ::ffff:a.b.c.d, and prefixes
// within ::ffff:0:0/96 follow the rule of in_answering_form() in net/mapped.hpp. `p` is an ipv4_prefix, an
// ipv6_prefix or an any_prefix. Bits past its length are ignored, and a prefix longer than its address is not
// found. Returned vectors are copies in prefix order; creating one may throw std::bad_alloc.
template <class Self, class T>
class map_queries {
  public:
    template <class P>
    using entry = map_entry<P, T>;

    // Value of the longest match, or null if no prefix matches.
    template <map_address A>
    const T* lookup(const A& a) const noexcept;
    expected<const T*, text_error> lookup(std::string_view a) const noexcept {
        const auto address = parse_address(a);
        return address ? expected<const T*, text_error>(lookup(*address)) : unexpected{address.error()};
    }
    // Looks up many addresses. `out` is at least as long as `in`.
    void lookup(std::span<const ipv4_address> in, std::span<const T*> out) const noexcept {
        lookup_many(in, out);
    }
    void lookup(std::span<const ipv6_address> in, std::span<const T*> out) const noexcept {
        lookup_many(in, out);
    }
    // Longest match with its prefix. For an address of one family, the prefix has the form of that family.
    template <map_address A>
    std::optional<entry<detail::prefix_for<A>>> match(const A& a) const noexcept;

    // Value of exactly this prefix, or null if it is not in the map.
    template <map_prefix P>
    const T* find(const P& p) const noexcept {
        return ask_about<const T*>(p, [this]<class A>(const auto& routes, const prefix<A>& q) {
            return self().view().value_of(A{}, routes.get(q));
        });
    }
    // Longest prefix that covers `p`: match_prefix() may return `p` itself, cover() only a shorter one.
    template <map_prefix P>
    std::optional<entry<P>> match_prefix(const P& p) const noexcept {
        return ask_about<std::optional<entry<P>>>(p, [this](const auto& routes, const auto& q) {
            return this->entry_of<P>(routes.match_prefix(q));
        });
    }
    template <map_prefix P>
    std::optional<entry<P>> parent(const P& p) const noexcept {
        return ask_about<std::optional<entry<P>>>(
            p, [this](const auto& routes, const auto& q) { return this->entry_of<P>(routes.cover(q)); });
    }
    // Prefixes that cover `p` and are shorter than it, shortest first.
    template <map_prefix P>
    std::vector<entry<P>> covering(const P& p) const {
        return ask_about<std::vector<entry<P>>>(p, [this]<class A>(const auto& routes, const prefix<A>& q) {
            std::vector<entry<P>> entries;
            entries.reserve(8); // more are rare
            routes.covering(q, [&](const route<A>& r) { entries.push_back(entry_of<P>(r)); });
            return entries;
        });
    }
    // Prefixes inside `p` that no other prefix inside `p` covers, without `p` itself.
    template <map_prefix P>
    std::vector<entry<P>> children(const P& p) const {
        return ask_about<std::vector<entry<P>>>(p, [this]<class A>(const auto& routes, const prefix<A>& q) {
            std::vector<entry<P>> entries;
            routes.children(q, [&](const route<A>& r) { entries.push_back(entry_of<P>(r)); });
            return entries;
        });
    }
    // All prefixes inside `p`, including `p` itself.
    template <map_prefix P>
    std::vector<entry<P>> covered(const P& p) const;
    // True if a prefix of this map and `p`, or a prefix of the other map or image, have addresses in common.
    template <map_prefix P>
    bool overlaps(const P& p) const noexcept {
        return ask_about<bool>(p, [](const auto& routes, const auto& q) { return routes.overlaps(q); });
    }
    template <class Other, class U>
        requires requires(const Other& other) { other.begin(); }
    bool overlaps(const map_queries<Other, U>& other) const noexcept;

    std::size_t size() const noexcept { return self().view().size(); }
    bool empty() const noexcept { return size() == 0; }

  private:
    template <class Other, class U>
    friend class map_queries;

    const Self& self() const noexcept { return static_cast<const Self&>(*this); }
    template <class A>
    void lookup_many(std::span<const A> in, std::span<const T*> out) const noexcept;
    // Returns ask(routes, prefix) with a rib or an image_routes.
    template <class Answer, class P, class Ask>
    Answer ask_about(const P& p, Ask ask) const {
        return detail::by_family(p, [&]<class A>(const prefix<A>& q) -> Answer {
            if (q.length > A::bits)
                return Answer();
            return self().view().template with_routes<A>(
                [&](const auto& routes) -> Answer { return ask(routes, q); });
        });
    }
    template <class P, class A>
    entry<P> entry_of(const route<A>& r) const noexcept {
        return {r.where, self().view().value_of(A{}, r.hop)};
    }
    template <class P, class A>
    std::optional<entry<P>> entry_of(const std::optional<route<A>>& r) const noexcept {
        return r ? std::optional(entry_of<P>(*r)) : std::nullopt;
    }
};

namespace detail {

// Maps, snapshots and images answer queries through their view(), which has size() and, for an address `a` of
// either family A:
//
//      hop_of(a), hops_of(in, out)            next hops of longest matches
//      value_of(a, hop)                       value of a next hop of this family; null for none
//      with_routes<A>(ask), covered(prefix)   the exact routes
//      has_mapped()                           true if there may be prefixes within ::ffff:0:0/96
//      mapped_length(a, hop)                  at least 96 if the match of `a`, with next hop `hop`, is one of
//                                             these, else less
//      begin_routes<A>()                      not for snapshots

// Iterates over the entries of a map or an image.
template <class View, class T>
class map_iterator {
  public:
    using value_type = map_entry<any_prefix, T>;
    using difference_type = std::ptrdiff_t;

    map_iterator() = default;
    explicit map_iterator(const View& of) noexcept
        : of_(&of), ipv4_(of.template begin_routes<ipv4_address>()),
          ipv6_(of.template begin_routes<ipv6_address>()) {}

    value_type operator*() const noexcept {
        return ipv4_ != end_of_routes{} ? entry_of(*ipv4_) : entry_of(*ipv6_);
    }
    map_iterator& operator++() noexcept {
        if (ipv4_ != end_of_routes{})
            ++ipv4_;
        else
            ++ipv6_;
        return *this;
    }
    void operator++(int) noexcept { ++*this; }
    friend bool operator==(const map_iterator& at, end_of_routes end) noexcept {
        return at.ipv4_ == end && at.ipv6_ == end;
    }

  private:
    template <class A>
    using iterator = decltype(std::declval<const View&>().template begin_routes<A>());

    template <class A>
    value_type entry_of(const route<A>& r) const noexcept {
        return {r.where, of_->value_of(A{}, r.hop)};
    }

    const View* of_ = nullptr;
    iterator<ipv4_address> ipv4_{};
    iterator<ipv6_address> ipv6_{};
};

// Returns lookup(address) with the form of the address that matches (in_answering_form() of net/mapped.hpp).
template <class View, class A, class Hop, class Lookup>
auto by_form(const View& in, A a, Hop hop_of, Lookup lookup) noexcept {
    // Most addresses have only one form.
    if constexpr (A::bits == ipv4_address::bits) {
        if (!in.has_mapped())
            return lookup(a);
    } else if (!is_ipv4_mapped(a)) {
        return lookup(a);
    }
    const auto has_ipv4 = [&](ipv4_address b) { return hop_of(b) != next_hop::none; };
    const auto ipv6_length = [&](ipv6_address b) { return in.mapped_length(b, hop_of(b)); };
    return in_answering_form(a, has_ipv4, ipv6_length, lookup);
}

// Returns the prefix in the form of this address type.
template <class A, class P>
prefix_for<A> prefix_as(const P& where) noexcept {
    if constexpr (std::convertible_to<P, prefix_for<A>>)
        return where;
    else if constexpr (P::address_type::bits == ipv4_address::bits)
        return mapped(where);
    else
        return unmapped(where);
}

} // namespace detail

template <class Self, class T>
template <map_address A>
const T* map_queries<Self, T>::lookup(const A& a) const noexcept {
    const auto& in = self().view();
    const auto hop_of = [&](auto b) { return in.hop_of(b); };
    return detail::by_family(a, [&](const auto& b) {
        return detail::by_form(in, b, hop_of, [&](const auto& c) { return in.value_of(c, hop_of(c)); });
    });
}

template <class Self, class T>
template <class A>
void map_queries<Self, T>::lookup_many(std::span<const A> in, std::span<const T*> out) const noexcept {
    const auto& by = self().view();
    constexpr bool is_ipv4 = A::bits == ipv4_address::bits;
    std::array<next_hop, 256> hops;
    for (std::size_t done = 0; done < in.size(); done += hops.size()) {
        const auto some = in.subspan(done, std::min(hops.size(), in.size() - done));
        by.hops_of(some, std::span(hops).first(some.size()));
        for (std::size_t i = 0; i < some.size(); ++i)
            out[done + i] = by.value_of(A{}, hops[i]);
    }
    // Skip addresses that match in their other form.
    if (is_ipv4 && !by.has_mapped())
        return;
    for (std::size_t i = 0; i < in.size(); ++i) {
        bool has_other = false;
        if constexpr (is_ipv4)
            has_other = out[i] == nullptr;
        else
            has_other = is_ipv4_mapped(in[i]);
        if (has_other)
            out[i] = lookup(in[i]);
    }
}

// Exact, unlike lookup(): the newest routes also decide which form of the address matches.
template <class Self, class T>
template <map_address A>
auto map_queries<Self, T>::match(const A& a) const noexcept -> std::optional<entry<detail::prefix_for<A>>> {
    using found_entry = entry<detail::prefix_for<A>>;
    const auto& in = self().view();
    const auto hop_of = [&]<class B>(B b) {
        return in.template with_routes<B>([b](const auto& routes) { return routes.lookup(b); });
    };
    return detail::by_family(a, [&](const auto& b) {
        return detail::by_form(in, b, hop_of, [&]<class B>(const B& c) -> std::optional<found_entry> {
            const auto match =
                in.template with_routes<B>([c](const auto& routes) { return routes.match(c); });
            if (!match)
                return std::nullopt;
            return found_entry{detail::prefix_as<A>(match->where), in.value_of(c, match->hop)};
        });
    });
}

template <class Self, class T>
template <map_prefix P>
auto map_queries<Self, T>::covered(const P& p) const -> std::vector<entry<P>> {
    return detail::by_family(p, [&]<class A>(const prefix<A>& q) {
        std::vector<entry<P>> entries;
        if (q.length > A::bits)
            return entries;
        const auto routes = self().view().covered(q);
        entries.reserve(routes.size());
        for (const route<A> r : routes)
            entries.push_back(entry_of<P>(r));
        return entries;
    });
}

template <class Self, class T>
template <class Other, class U>
    requires requires(const Other& other) { other.begin(); }
bool map_queries<Self, T>::overlaps(const map_queries<Other, U>& other) const noexcept {
    if constexpr (requires { self().begin(); })
        if (size() < other.size())
            return other.overlaps(*this);
    for (const auto& entry : other.self())
        if (overlaps(entry.where))
            return true;
    return false;
}

} // namespace fingerpost
