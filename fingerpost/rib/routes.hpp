// Input of a scheme: a table as sorted routes or as elementary intervals.
#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/base/lazy.hpp"
#include "fingerpost/rib/intervals.hpp"

namespace fingerpost {

// Canonical routes in prefix order, without duplicates and without next_hop::none. Intervals are computed at
// their first use, so builders that do not need them pay nothing.
template <class A>
class routes {
  public:
    routes() = default;
    // Takes routes that satisfy these conditions, as rib<A> and the table readers return them.
    explicit routes(std::vector<route<A>> sorted) : sorted_(std::move(sorted)) { assert(is_in_order()); }

    std::span<const route<A>> sorted() const noexcept { return sorted_; }
    std::size_t size() const noexcept { return sorted_.size(); }
    // Number of routes with more than `length` bits.
    std::size_t longer_than(unsigned length) const noexcept {
        std::size_t count = 0;
        for (const route<A>& r : sorted_)
            count += r.where.length > length ? 1 : 0;
        return count;
    }
    // Throws std::bad_alloc, which the registry's builders convert to errc::out_of_memory.
    const interval_list<A>& intervals() const {
        return intervals_.get([this] { return elementary_intervals<A>(sorted_); });
    }

  private:
    bool is_in_order() const noexcept {
        for (std::size_t i = 1; i < sorted_.size(); ++i)
            if (sorted_[i].where < sorted_[i - 1].where)
                return false;
        return true;
    }

    std::vector<route<A>> sorted_;
    lazy<interval_list<A>> intervals_;
};

} // namespace fingerpost
