// Small handmade tables and random clustered ones, as sorted routes from which every scheme can be built.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fingerpost/net/route.hpp"
#include "fingerpost/net/text.hpp"
#include "tests/oracle/probes.hpp"

namespace fingerpost::testing {

using oracle::random_numbers;

template <class A>
using table = std::vector<route<A>>;

// The prefix with `bits` as its first `length` bits: leading<ipv6_address>(0x20010db8, 32).
template <class A>
constexpr prefix<A> leading(u128 bits, unsigned length) {
    return prefix<A>::make(A{static_cast<typename A::value_type>(shift_left(bits, A::bits - length))},
                           length);
}

// Sorts routes by prefix. When a prefix occurs twice, the last route is kept.
template <class A>
table<A> sorted(table<A> routes) {
    const auto before = [](const route<A>& a, const route<A>& b) { return a.where < b.where; };
    std::stable_sort(routes.begin(), routes.end(), before);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < routes.size(); ++i)
        if (i + 1 == routes.size() || routes[i].where != routes[i + 1].where)
            routes[kept++] = routes[i];
    routes.resize(kept);
    return routes;
}

// Formats an address of any width: in its usual notation, or as binary digits for test widths.
template <class A>
std::string text_of(A a) {
    if constexpr (A::bits == 32 || A::bits == 128) {
        return to_string(a);
    } else {
        std::string digits;
        for (unsigned i = 0; i < A::bits; ++i)
            digits += bit_at(a, i) != 0 ? '1' : '0';
        return digits;
    }
}
inline std::string text_of(next_hop hop) {
    return hop == next_hop::none ? "none" : std::to_string(hop.id);
}
template <class A>
std::string text_of(std::span<const route<A>> routes, std::size_t most = 60) {
    std::string out;
    for (std::size_t i = 0; i < std::min(most, routes.size()); ++i) {
        const auto& [where, hop] = routes[i];
        out += "    " + text_of(where.base) + "/" + std::to_string(where.length) + " " + text_of(hop) + "\n";
    }
    if (routes.size() > most)
        out += "    and " + std::to_string(routes.size() - most) + " more\n";
    return out;
}

// Generates prefixes next to, inside and around earlier ones. Uniform random prefixes are almost never
// neighbours, but errors of longest-prefix match show there (schemes.md, T16).
template <class A>
class clustered_prefixes {
  public:
    explicit clustered_prefixes(random_numbers& random) : random_(random) {}

    prefix<A> next() {
        prefix<A> made = made_.empty() ? fresh() : step(made_[random_.below(made_.size())]);
        made_.push_back(made);
        return made;
    }

  private:
    using value = typename A::value_type;

    prefix<A> step(const prefix<A>& old) {
        const unsigned choice = static_cast<unsigned>(random_.below(20));
        if (choice < 2)
            return fresh();
        if (choice < 9)
            return inside(old);
        if (choice < 12)
            return after(old);
        if (choice < 14)
            return before(old);
        if (choice < 16)
            return prefix<A>::make(old.base, length_up_to(old.length));
        if (choice < 18)
            return prefix<A>::make(old.last(), length_up_to(A::bits));
        if (choice < 19)
            return prefix<A>::make(old.base, length_up_to(A::bits));
        return prefix<A>::make(random_.below(2) == 0 ? A::first() : A::last(), length_up_to(A::bits));
    }
    prefix<A> fresh() { return prefix<A>::make(random_.address<A>(), length_up_to(A::bits)); }
    // Longer than `old`, mostly by a few bits: at its start, at its end or anywhere in it.
    prefix<A> inside(const prefix<A>& old) {
        const unsigned room = A::bits - old.length;
        const unsigned more = random_.below(4) == 0 ? length_up_to(room) : length_up_to(std::min(room, 9U));
        const u128 where = random_.below(3);
        const value host = where == 0 ? value{0} : where == 1 ? old.last().value : random_.address<A>().value;
        const value base = old.base.value | (host & ~network_mask<A>(old.length));
        return prefix<A>::make(A{base}, old.length + more);
    }
    // Starts right after `old`, with any fitting length. When `old` ends the space, returns a new random
    // prefix.
    prefix<A> after(const prefix<A>& old) {
        if (old.last() == A::last())
            return fresh();
        return adjacent(A{static_cast<value>(old.last().value + 1)});
    }
    prefix<A> before(const prefix<A>& old) {
        if (old.first() == A::first())
            return fresh();
        return prefix<A>::make(A{static_cast<value>(old.first().value - 1)}, length_up_to(A::bits));
    }
    // Any length for which `first` is the first address of a prefix.
    prefix<A> adjacent(A first) {
        unsigned shortest = A::bits;
        while (shortest > 0 && prefix<A>::is_canonical(first, shortest - 1))
            --shortest;
        return prefix<A>::make(first, shortest + length_up_to(A::bits - shortest));
    }
    unsigned length_up_to(unsigned most) { return static_cast<unsigned>(random_.below(most + 1)); }

    random_numbers& random_;
    std::vector<prefix<A>> made_;
};

// At most `count` sorted routes (a prefix may be drawn twice), with next hops from 0 to `hops` - 1.
template <class A>
table<A> clustered_table(random_numbers& random, std::size_t count, std::uint32_t hops) {
    clustered_prefixes<A> prefixes(random);
    table<A> out;
    out.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        out.push_back({prefixes.next(), {static_cast<std::uint32_t>(random.below(hops))}});
    return sorted(std::move(out));
}

} // namespace fingerpost::testing
