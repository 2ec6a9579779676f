// Entries of a binary search on lengths: the routes of a table, and the markers that lead to them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/fib/parts/lengths/length_tree.hpp"
#include "fingerpost/net/route.hpp"

namespace fingerpost {

// The longest length in a set that is not empty.
template <class A>
constexpr unsigned longest_of(length_set<A> set) noexcept {
    return static_cast<unsigned>(sizeof(set) * 8) - leading_zeros(set);
}

// A route, a marker, or both.
template <class A>
struct length_entry {
    prefix<A> where{};
    next_hop best = next_hop::none; // longest match of its bits, with at most its own length, without /0
    std::uint8_t best_length = 0;   // 0 if there is none
    bool is_route = false;
    std::uint32_t users = 0;   // longer routes that have a marker here
    length_set<A> origins = 0; // their lengths, and its own length if it is a route
};

// Calls each(entry) once for every entry of these routes in this tree. Prefixes of one length arrive in the
// order of the routes, so only one entry of each length is open at a time.
template <class A, class F>
void for_each_length_entry(std::span<const route<A>> sorted, const length_tree<A>& tree, F each) {
    std::array<length_entry<A>, A::bits + 1> open{}; // indexed by length
    length_set<A> is_open = 0;
    std::vector<route<A>> covers;
    const auto close = [&](length_set<A> which) {
        for (; which != 0; which &= static_cast<length_set<A>>(~set_of_length<A>(longest_of<A>(which))))
            each(std::as_const(open[longest_of<A>(which)]));
    };
    A before{};
    for (const route<A>& r : sorted) {
        if (r.where.length == 0)
            continue;
        while (!covers.empty() && !covers.back().where.covers(r.where))
            covers.pop_back();
        const length_set<A> left = is_open & ~lengths_up_to<A>(common_length(before, r.where.base));
        close(left);
        is_open &= static_cast<length_set<A>>(~left);
        before = r.where.base;

        const length_set<A> own = set_of_length<A>(r.where.length);
        tree.for_each_marker(r.where.length, [&](unsigned length) {
            length_entry<A>& marker = open[length];
            if (!has_length<A>(is_open, length)) {
                is_open |= set_of_length<A>(length);
                marker = {.where = prefix<A>::make(r.where.base, length)};
                for (std::size_t i = covers.size(); i-- > 0 && marker.best_length == 0;)
                    if (covers[i].where.length <= length) {
                        marker.best = covers[i].hop;
                        marker.best_length = covers[i].where.length;
                    }
            }
            ++marker.users;
            marker.origins |= own;
        });
        // A route precedes all routes that have a marker at its position.
        open[r.where.length] = {
            .where = r.where, .best = r.hop, .best_length = r.where.length, .is_route = true, .origins = own};
        is_open |= own;
        covers.push_back(r);
    }
    close(is_open);
}

} // namespace fingerpost
