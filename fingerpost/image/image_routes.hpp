// The routes of an image: sorted arrays in a mapped file, searched in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "fingerpost/net/route.hpp"

namespace fingerpost {

// In prefix order, canonical, each prefix once. An exact query is one binary search; a longest match is one
// for each shorter length that it tries. For control, not for packets: these ask the FIB.
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
    std::optional<route<A>> match(A a) const noexcept { return match(a, A::bits); }
    // The longest route that is shorter than `p` and covers it.
    std::optional<route<A>> cover(prefix<A> p) const noexcept;
    // Whether there is a route within this prefix.
    bool has_within(const prefix<A>& p) const noexcept;
    // Checks all routes. Returns the index of the first that is not canonical or not in order, or size().
    std::size_t first_wrong() const noexcept;

  private:
    prefix<A> where(std::size_t i) const noexcept { return {bases_[i], lengths_[i]}; }
    std::size_t count_up_to(prefix<A> p) const noexcept;
    std::optional<route<A>> match(A a, unsigned longest) const noexcept;

    const A* bases_ = nullptr;
    const std::uint8_t* lengths_ = nullptr;
    const next_hop* hops_ = nullptr;
    std::size_t size_ = 0;
};

// Compiled once, in the library; image_routes.inl.hpp has the bodies for other widths.
extern template class image_routes<ipv4_address>;
extern template class image_routes<ipv6_address>;

} // namespace fingerpost
