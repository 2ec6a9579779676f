// Finds the routes of a table that cover a prefix, and those that it covers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/base/narrow.hpp"
#include "fingerpost/net/route.hpp"

namespace fingerpost::cli {

// For routes in prefix order, where a route is followed by all routes that it covers. The routes must outlive
// the tree.
template <class A>
class route_tree {
  public:
    static constexpr std::uint32_t none = next_hop::none.id;

    explicit route_tree(std::span<const route<A>> routes) : routes_(routes), parents_(routes.size()) {
        std::vector<std::uint32_t> open; // routes that cover the current one, shortest first
        for (std::size_t i = 0; i < routes.size(); ++i) {
            while (!open.empty() && !routes[open.back()].where.contains(routes[i].where.base))
                open.pop_back();
            parents_[i] = open.empty() ? none : open.back();
            open.push_back(to_u32(i, "routes"));
        }
    }

    // The longest route that covers `p` or equals it; none if there is none.
    std::uint32_t longest(const prefix<A>& p) const {
        std::uint32_t at = last_up_to(p);
        while (at != none && !covers(routes_[at].where, p))
            at = parents_[at];
        return at;
    }
    // This route and all that cover it, shortest first.
    template <class F>
    void for_each_cover(std::uint32_t route, F visit) const {
        std::array<std::uint32_t, A::bits + 1> covers; // at most one of each length
        std::size_t count = 0;
        for (std::uint32_t at = route; at != none; at = parents_[at])
            covers[count++] = at;
        while (count > 0)
            visit(covers[--count]);
    }
    // The range of routes that `p` covers, including its own.
    std::pair<std::size_t, std::size_t> covered(const prefix<A>& p) const {
        const auto first =
            std::lower_bound(routes_.begin(), routes_.end(), p,
                             [](const route<A>& one, const prefix<A>& q) { return one.where < q; });
        const auto last = std::partition_point(
            first, routes_.end(), [&](const route<A>& one) { return p.contains(one.where.base); });
        return {static_cast<std::size_t>(first - routes_.begin()),
                static_cast<std::size_t>(last - routes_.begin())};
    }

  private:
    static bool covers(const prefix<A>& outer, const prefix<A>& inner) {
        return outer.length <= inner.length && outer.contains(inner.base);
    }
    // Every route that covers `p` is this one, or covers this one.
    std::uint32_t last_up_to(const prefix<A>& p) const {
        const auto behind =
            std::upper_bound(routes_.begin(), routes_.end(), p,
                             [](const prefix<A>& q, const route<A>& one) { return q < one.where; });
        return behind == routes_.begin() ? none : static_cast<std::uint32_t>(behind - routes_.begin() - 1);
    }

    std::span<const route<A>> routes_;
    std::vector<std::uint32_t> parents_;
};

} // namespace fingerpost::cli
