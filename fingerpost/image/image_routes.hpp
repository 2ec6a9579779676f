// The routes of an image: sorted arrays in a mapped file, searched in place.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fingerpost/net/route.hpp"

namespace fingerpost {

// In prefix order, canonical, each prefix once. An exact query is one binary search; a longest match is one
// for each shorter length that it tries. For control, not for packets: these ask the FIB. It is asked as a
// rib is: const queries alone, and a prefix that is longer than its address is not there.
template <class A>
class image_routes {
  public:
    class iterator {
      public:
        using value_type = route<A>;
        using difference_type = std::ptrdiff_t;

        iterator() = default;
        iterator(const image_routes& of, std::size_t at) noexcept : of_(&of), at_(at) {}
        route<A> operator*() const noexcept { return (*of_)[at_]; }
        iterator& operator++() noexcept {
            ++at_;
            return *this;
        }
        iterator operator++(int) noexcept {
            const iterator was = *this;
            ++at_;
            return was;
        }
        friend bool operator==(const iterator& a, const iterator& b) noexcept { return a.at_ == b.at_; }
        friend bool operator==(const iterator& a, end_of_routes) noexcept { return a.at_ == a.of_->size(); }

      private:
        const image_routes* of_ = nullptr;
        std::size_t at_ = 0;
    };

    image_routes() = default;
    // Element i of each is of route i.
    image_routes(std::span<const A> bases, std::span<const std::uint8_t> lengths,
                 std::span<const next_hop> hops) noexcept
        : bases_(bases.data()), lengths_(lengths.data()), hops_(hops.data()), size_(bases.size()) {}

    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    route<A> operator[](std::size_t i) const noexcept { return {where(i), hops_[i]}; }
    iterator begin() const noexcept { return {*this, 0}; }
    iterator end() const noexcept { return {*this, size_}; }

    // The number of routes with more than `length` bits.
    std::size_t longer_than(unsigned length) const noexcept;
    // Exact match; none if the prefix is not there.
    next_hop get(prefix<A> p) const noexcept;
    // Longest match.
    next_hop lookup(A a) const noexcept {
        const auto found = match(a);
        return found ? found->hop : next_hop::none;
    }
    std::optional<route<A>> match(A a) const noexcept { return route_at(index_of_match(a, A::bits)); }
    // The longest route that is shorter than `p` and covers it.
    std::optional<route<A>> cover(prefix<A> p) const noexcept { return route_at(index_of_cover(p)); }
    // The longest route that covers `p`, its own included.
    std::optional<route<A>> match_prefix(prefix<A> p) const noexcept;
    // Whether a route and `p` have addresses in common.
    bool overlaps(prefix<A> p) const noexcept { return match_prefix(p).has_value() || !covered(p).empty(); }
    // Calls visit(route) for all routes shorter than `p` that cover it, shortest first.
    template <class Visit>
    void covering(prefix<A> p, Visit visit) const {
        std::array<std::size_t, A::bits> found;
        std::size_t count = 0;
        for (auto at = index_of_cover(p); at; at = index_of_cover(where(*at)))
            found[count++] = *at;
        while (count != 0)
            visit((*this)[found[--count]]);
    }
    // Calls visit(route) for the routes inside `p`, without its own, that no other of them covers, in prefix
    // order.
    template <class Visit>
    void children(prefix<A> p, Visit visit) const {
        image_routes left = covered(p);
        if (!left.empty() && left.where(0) == prefix<A>::make(p.base, p.length))
            left = left.from(1);
        for (; !left.empty(); left = left.from(left.count_up_to(last_within(left.where(0)))))
            visit(left[0]);
    }
    // The routes inside `p`, with its own.
    image_routes covered(prefix<A> p) const noexcept;
    // Throws std::bad_alloc.
    std::vector<route<A>> copy() const;
    // Checks all routes. Returns the index of the first that is not canonical or not in order, or size().
    std::size_t first_wrong() const noexcept;

  private:
    prefix<A> where(std::size_t i) const noexcept { return {bases_[i], lengths_[i]}; }
    // After all others inside `p`.
    static prefix<A> last_within(const prefix<A>& p) noexcept { return prefix<A>::make(p.last(), A::bits); }
    image_routes from(std::size_t i) const noexcept {
        return {std::span(bases_ + i, size_ - i), {lengths_ + i, size_ - i}, {hops_ + i, size_ - i}};
    }
    std::size_t count_up_to(prefix<A> p) const noexcept;
    // Of the longest match that is no longer than this.
    std::optional<std::size_t> index_of_match(A a, unsigned longest) const noexcept;
    std::optional<std::size_t> index_of_cover(prefix<A> p) const noexcept;
    std::optional<route<A>> route_at(std::optional<std::size_t> i) const noexcept {
        return i ? std::optional((*this)[*i]) : std::nullopt;
    }

    const A* bases_ = nullptr;
    const std::uint8_t* lengths_ = nullptr;
    const next_hop* hops_ = nullptr;
    std::size_t size_ = 0;
};

// Compiled once, in the library; image_routes.inl.hpp has the bodies for other widths.
extern template class image_routes<ipv4_address>;
extern template class image_routes<ipv6_address>;

} // namespace fingerpost
