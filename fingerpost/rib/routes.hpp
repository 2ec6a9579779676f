// The input of a scheme: one table as sorted routes or as elementary intervals.
#pragma once

#include <algorithm>
#include <cassert>
#include <optional>
#include <span>
#include <vector>

#include "fingerpost/rib/intervals.hpp"

namespace fingerpost {

// Canonical routes in prefix order, each prefix once, no next hop `none`. The intervals are computed at their
// first use, so that a builder without need for them does not pay. Not to be shared between threads.
template <class A>
class routes {
  public:
    routes() = default;
    // Takes routes that are in this form already, as rib<A> and the table readers give them.
    explicit routes(std::vector<route<A>> sorted) : sorted_(std::move(sorted)) {
        assert(std::is_sorted(sorted_.begin(), sorted_.end(),
                              [](const auto& a, const auto& b) { return a.where < b.where; }));
    }

    std::span<const route<A>> sorted() const noexcept { return sorted_; }
    std::size_t size() const noexcept { return sorted_.size(); }
    // The number of routes that are longer than this many bits.
    std::size_t longer_than(unsigned length) const noexcept {
        return static_cast<std::size_t>(std::count_if(
            sorted_.begin(), sorted_.end(), [=](const route<A>& r) { return r.where.length > length; }));
    }
    // Throws std::bad_alloc; the registry's builders turn that into errc::out_of_memory.
    const interval_list<A>& intervals() const {
        if (!intervals_)
            intervals_ = elementary_intervals<A>(sorted_);
        return *intervals_;
    }

  private:
    std::vector<route<A>> sorted_;
    mutable std::optional<interval_list<A>> intervals_;
};

} // namespace fingerpost
