// Finds the routes that cover a prefix, and the routes inside it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "cli/answers/answer_table.hpp"
#include "fingerpost/base/narrow.hpp"
#include "fingerpost/net/route.hpp"

namespace fingerpost::cli {

// Routes are in prefix order, so each is followed by the routes that it covers. They must outlive the tree.
template <class A>
class route_tree {
  public:
    static constexpr std::uint32_t none = next_hop::none.id;

    explicit route_tree(const family_table<A>& table) : table_(table), parents_(table.size()) {
        // Last addresses and numbers of the open covers, shortest first.
        std::vector<std::pair<A, std::uint32_t>> open;
        for (std::uint32_t i = 0; i < parents_.size(); ++i) {
            const prefix<A> current = where(i);
            while (!open.empty() && open.back().first < current.base)
                open.pop_back();
            parents_[i] = open.empty() ? none : open.back().second;
            open.emplace_back(current.last(), i);
        }
    }

    // The longest route that covers or equals `p`, or `none`.
    std::uint32_t longest(const prefix<A>& p) const {
        std::uint32_t at = last_up_to(p);
        while (at != none && !covers(where(at), p))
            at = parents_[at];
        return at;
    }
    // Visits this route and its covers, shortest first.
    template <class F>
    void for_each_cover(std::uint32_t route, F visit) const {
        std::array<std::uint32_t, A::bits + 1> covers; // at most one per length
        std::size_t count = 0;
        for (std::uint32_t at = route; at != none; at = parents_[at])
            covers[count++] = at;
        while (count > 0)
            visit(covers[--count]);
    }
    // The range of routes inside or equal to `p`.
    std::pair<std::size_t, std::size_t> covered(const prefix<A>& p) const {
        const std::size_t first = count_before([&](const prefix<A>& other) { return other < p; }, 0);
        return {first, count_before([&](const prefix<A>& other) { return p.contains(other.base); }, first)};
    }

  private:
    static bool covers(const prefix<A>& outer, const prefix<A>& inner) {
        return outer.length <= inner.length && outer.contains(inner.base);
    }
    // Returns the last route up to `p` in prefix order. Every route that covers `p` is this one or covers it.
    std::uint32_t last_up_to(const prefix<A>& p) const {
        const std::size_t up_to = count_before([&](const prefix<A>& other) { return !(p < other); }, 0);
        return up_to == 0 ? none : static_cast<std::uint32_t>(up_to - 1);
    }
    // The number of routes before the first one, at or after `from`, that does not satisfy `is_before`. No
    // later one satisfies it either.
    template <class F>
    std::size_t count_before(F is_before, std::size_t from) const {
        for (std::size_t end = parents_.size(); from < end;) {
            const std::size_t middle = from + (end - from) / 2;
            if (is_before(where(static_cast<std::uint32_t>(middle))))
                from = middle + 1;
            else
                end = middle;
        }
        return from;
    }
    prefix<A> where(std::uint32_t route) const noexcept { return table_.prefix_of({route}); }

    const family_table<A>& table_;
    std::vector<std::uint32_t> parents_;
};

// The trees of both families, built on first use. Threads can share them.
class route_trees {
  public:
    // `table` is that of the family, the same in all calls.
    template <class A>
    const route_tree<A>& of(const family_table<A>& table) {
        auto& tree = std::get<lazy_tree<A>>(trees_);
        std::call_once(tree.once, [&] { tree.built.emplace(table); });
        return *tree.built;
    }

  private:
    template <class A>
    struct lazy_tree {
        std::once_flag once;
        std::optional<route_tree<A>> built;
    };

    std::tuple<lazy_tree<ipv4_address>, lazy_tree<ipv6_address>> trees_;
};

} // namespace fingerpost::cli
