// The input of a scheme: one table as sorted routes or as elementary intervals.
#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/base/lazy.hpp"
#include "fingerpost/rib/intervals.hpp"

namespace fingerpost {

// Canonical routes in prefix order, each prefix once, no next hop `none`. The intervals are computed at their
// first use, so that a builder without need for them does not pay.
template <class A>
class routes {
  public:
    routes() = default;
    // Takes routes that already are as above, as rib<A> and the table readers give them.
    explicit routes(std::vector<route<A>> sorted) : sorted_(std::move(sorted)) { assert(is_in_order()); }

    std::span<const route<A>> sorted() const noexcept { return sorted_; }
    std::size_t size() const noexcept { return sorted_.size(); }
    // The number of routes that are longer than this many bits.
    std::size_t longer_than(unsigned length) const noexcept {
        std::size_t count = 0;
        for (const route<A>& r : sorted_)
            count += r.where.length > length ? 1 : 0;
        return count;
    }
    // Throws std::bad_alloc; the registry's builders turn that into errc::out_of_memory.
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
