// Converts sorted routes to elementary intervals in one sweep. All range schemes use this as input.
#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <vector>

#include "fingerpost/net/route.hpp"

namespace fingerpost {

// The address space, divided into maximal runs of addresses with one next hop. Run i starts after ends[i - 1]
// (run 0 at address 0) and ends at ends[i], inclusive. Ends are strictly ascending, and the last one is
// A::last(). Neighbouring runs have different next hops; addresses without a route have next_hop::none. There
// is always at least one run.
template <class A>
struct interval_list {
    std::vector<A> ends;
    std::vector<next_hop> hops;
    std::size_t merged = 0; // number of additional runs if equal neighbours were not merged

    std::size_t size() const noexcept { return ends.size(); }
};

namespace detail {

// One pass over routes in prefix order. The covers of the current address are on a stack, the shortest at the
// bottom, so ends never increase towards the top. Ends are inclusive, so no address past the last one is
// needed: `done` means that the last run was emitted.
template <class A>
class interval_sweep {
  public:
    explicit interval_sweep(interval_list<A>& out) : out_(out) {}

    void add(const route<A>& r) {
        const A first = r.where.first();
        close_before(first);
        if (cursor_ < first)
            emit(A{static_cast<value>(first.value - 1)}, top());
        open_.push_back({r.where.last(), r.hop});
    }

    void finish() {
        while (!open_.empty())
            close_top();
        if (!done_)
            emit(A::last(), next_hop::none);
    }

  private:
    using value = typename A::value_type;
    struct open_prefix {
        A last;
        next_hop hop;
    };

    next_hop top() const { return open_.empty() ? next_hop::none : open_.back().hop; }
    void close_before(A first) {
        while (!open_.empty() && open_.back().last < first)
            close_top();
    }
    void close_top() {
        const open_prefix closing = open_.back();
        if (!done_ && cursor_ <= closing.last)
            emit(closing.last, closing.hop);
        open_.pop_back();
    }
    void emit(A end, next_hop hop) {
        if (!out_.hops.empty() && out_.hops.back() == hop) {
            out_.ends.back() = end;
            ++out_.merged;
        } else {
            out_.ends.push_back(end);
            out_.hops.push_back(hop);
        }
        done_ = end == A::last();
        cursor_ = A{static_cast<value>(end.value + 1)};
    }

    interval_list<A>& out_;
    std::vector<open_prefix> open_;
    A cursor_ = A::first(); // first address not yet emitted; undefined after done_
    bool done_ = false;
};

} // namespace detail

// `sorted` has canonical routes in prefix order, without duplicates. Routes shorter than `from` are ignored.
// O(routes). Throws std::bad_alloc.
template <class A>
interval_list<A> elementary_intervals(std::span<const route<A>> sorted, unsigned from = 0) {
    interval_list<A> intervals;
    // Real tables have 1.4 boundaries for each route; the maximum is 2.
    intervals.ends.reserve(sorted.size() + sorted.size() / 2 + 1);
    intervals.hops.reserve(sorted.size() + sorted.size() / 2 + 1);
    detail::interval_sweep<A> sweep(intervals);
    for (const route<A>& r : sorted)
        if (r.where.length >= from)
            sweep.add(r);
    sweep.finish();
    return intervals;
}

} // namespace fingerpost
