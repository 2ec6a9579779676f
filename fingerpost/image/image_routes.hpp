// Routes of an image: sorted arrays in a mapped file, searched in place.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fingerpost/net/route.hpp"

namespace fingerpost {

// Canonical routes in prefix order, without duplicates. An exact query is one binary search. A longest match
// is one search for each shorter length that it tries, so use the FIB to look up packets. The interface is
// the const part of rib<A>. A prefix that is longer than its address is not found.
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
    // Element i of each array belongs to route i.
    image_routes(std::span<const A> bases, std::span<const std::uint8_t> lengths,
                 std::span<const next_hop> hops) noexcept
        : bases_(bases.data()), lengths_(lengths.data()), hops_(hops.data()), size_(bases.size()) {}

    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    route<A> operator[](std::size_t i) const noexcept { return {where(i), hops_[i]}; }
    iterator begin() const noexcept { return {*this, 0}; }
    iterator end() const noexcept { return {*this, size_}; }

    // Number of routes with more than `length` bits.
    std::size_t longer_than(unsigned length) const noexcept;
    // Exact match. Returns none if there is no such route.
    next_hop get(prefix<A> p) const noexcept;
    // Longest match.
    next_hop lookup(A a) const noexcept {
        const auto longest = match(a);
        return longest ? longest->hop : next_hop::none;
    }
    std::optional<route<A>> match(A a) const noexcept { return route_at(index_of_match(a, A::bits)); }
    // Longest route that covers `p` and is shorter than it.
    std::optional<route<A>> cover(prefix<A> p) const noexcept { return route_at(index_of_cover(p)); }
    // Longest route that covers `p`, possibly `p` itself.
    std::optional<route<A>> match_prefix(prefix<A> p) const noexcept;
    // True if a route and `p` have addresses in common.
    bool overlaps(prefix<A> p) const noexcept { return match_prefix(p).has_value() || !covered(p).empty(); }
    // Calls visit(route) for all routes that cover `p` and are shorter than it, shortest first.
    template <class Visit>
    void covering(prefix<A> p, Visit visit) const {
        std::array<std::size_t, A::bits> covers;
        std::size_t count = 0;
        for (auto at = index_of_cover(p); at; at = index_of_cover(where(*at)))
            covers[count++] = *at;
        while (count != 0)
            visit((*this)[covers[--count]]);
    }
    // Calls visit(route), in prefix order, for the routes inside `p` that no other route inside `p` covers.
    // Excludes the route of `p`.
    template <class Visit>
    void children(prefix<A> p, Visit visit) const {
        image_routes left = covered(p);
        if (!left.empty() && left.where(0) == prefix<A>::make(p.base, p.length))
            left = left.from(1);
        for (; !left.empty(); left = left.from(left.count_up_to(last_within(left.where(0)))))
            visit(left[0]);
    }
    // Routes inside `p`, including its own.
    image_routes covered(prefix<A> p) const noexcept;
    // Throws std::bad_alloc.
    std::vector<route<A>> copy() const;
    // Checks all routes. Returns the index of the first one that is not canonical or not in order, or size().
    std::size_t first_wrong() const noexcept;
    // True if the next hop of a route is this number or a larger one.
    bool has_hops_from(std::size_t end) const noexcept;

  private:
    bool has_wrong(std::size_t begin, std::size_t end) const noexcept;
    prefix<A> where(std::size_t i) const noexcept { return {bases_[i], lengths_[i]}; }
    // Last possible prefix inside `p` in prefix order.
    static prefix<A> last_within(const prefix<A>& p) noexcept { return prefix<A>::make(p.last(), A::bits); }
    image_routes from(std::size_t i) const noexcept {
        return {std::span(bases_ + i, size_ - i), {lengths_ + i, size_ - i}, {hops_ + i, size_ - i}};
    }
    std::size_t count_up_to(prefix<A> p) const noexcept;
    // Index of the longest match with at most `longest` bits.
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

// Instantiated in the library. image_routes.inl.hpp has the definitions for other widths.
extern template class image_routes<ipv4_address>;
extern template class image_routes<ipv6_address>;

} // namespace fingerpost
