// The addresses of one table that no network of another table contains.
//
//     table  10.0.0.0/8 a              removed   10.192.0.0/11          left   10.0.0.0/9 a
//            10.224.0.0/11 b                                                   10.128.0.0/10 a
//                                                                              10.224.0.0/11 b
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/net/route.hpp"

namespace fingerpost::cli {

namespace detail {

// Walks down the binary trie of both tables where there is something to remove.
template <class A>
class difference_walk {
  public:
    // `table` and `removed` lie within `where`. `hop` belongs to the longest route around it.
    void visit(const prefix<A>& where, next_hop hop, std::span<const route<A>> table,
               std::span<const route<A>> removed) {
        if (!removed.empty() && removed.front().where == where)
            return;
        if (!table.empty() && table.front().where == where) {
            hop = table.front().hop;
            table = table.subspan(1);
        }
        if (removed.empty()) {
            if (hop != next_hop::none)
                left_.push_back({where, hop});
            left_.insert(left_.end(), table.begin(), table.end());
            return;
        }
        if (hop == next_hop::none && table.empty())
            return;
        const unsigned length = where.length + 1U;
        const auto upper = prefix<A>::make(where.last(), length);
        const std::size_t table_below = count_below(table, upper.base);
        const std::size_t removed_below = count_below(removed, upper.base);
        visit(prefix<A>::make(where.base, length), hop, table.first(table_below),
              removed.first(removed_below));
        visit(upper, hop, table.subspan(table_below), removed.subspan(removed_below));
    }
    std::vector<route<A>> take() && { return std::move(left_); }

  private:
    static std::size_t count_below(std::span<const route<A>> sorted, A base) {
        return static_cast<std::size_t>(
            std::partition_point(sorted.begin(), sorted.end(),
                                 [&](const route<A>& r) { return r.where.base < base; }) -
            sorted.begin());
    }

    std::vector<route<A>> left_;
};

} // namespace detail

// Both tables and the result are canonical routes in prefix order, each prefix once, without the next hop
// `none`. Addresses that a route of `removed` covers have no route in the result; all others have the answer
// of `table`. The result is not the smallest such table. Takes O(routes x bits) time in the worst case;
// throws std::bad_alloc.
template <class A>
std::vector<route<A>> set_difference(std::span<const route<A>> table, std::span<const route<A>> removed) {
    detail::difference_walk<A> walk;
    walk.visit({}, next_hop::none, table, removed);
    return std::move(walk).take();
}

} // namespace fingerpost::cli
