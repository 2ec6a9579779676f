// The routes of an image: sorted arrays in a mapped file, searched where they lie.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

#include "fingerpost/net/route.hpp"

namespace fingerpost {

// In prefix order, canonical, each prefix once. Exact queries take a binary search, longest matches one for
// each cover that has to be passed by: these are for control, lookups of packets ask the FIB.
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
    // All of one size.
    image_routes(std::span<const A> bases, std::span<const std::uint8_t> lengths,
                 std::span<const next_hop> hops) noexcept
        : bases_(bases.data()), lengths_(lengths.data()), hops_(hops.data()), size_(bases.size()) {}

    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    route<A> operator[](std::size_t i) const noexcept { return {where(i), hops_[i]}; }
    iterator begin() const noexcept { return {*this, 0}; }
    iterator end() const noexcept { return {*this, size_}; }

    // How many are longer than so many bits.
    std::size_t longer_than(unsigned length) const noexcept {
        return static_cast<std::size_t>(
            std::count_if(lengths_, lengths_ + size_, [=](std::uint8_t one) { return one > length; }));
    }

    // Exact match; none when the prefix is not there.
    next_hop get(prefix<A> p) const noexcept {
        if (p.length > A::bits)
            return next_hop::none;
        p = prefix<A>::make(p.base, p.length);
        const std::size_t i = count_up_to(p);
        return i > 0 && where(i - 1) == p ? hops_[i - 1] : next_hop::none;
    }
    // Longest match.
    std::optional<route<A>> match(A a) const noexcept { return match(a, A::bits); }
    // The longest route that is shorter than `p` and covers it.
    std::optional<route<A>> cover(prefix<A> p) const noexcept {
        if (p.length == 0 || p.length > A::bits)
            return std::nullopt;
        return match(p.base, p.length - 1u);
    }

    // Checks all of them; the number of the first that is not as it should be, or size().
    std::size_t first_wrong() const noexcept {
        for (std::size_t i = 0; i < size_; ++i) {
            if (lengths_[i] > A::bits || hops_[i] == next_hop::none || A::last() < bases_[i] ||
                !prefix<A>::is_canonical(bases_[i], lengths_[i]))
                return i;
            if (i > 0 && !(where(i - 1) < where(i)))
                return i;
        }
        return size_;
    }

  private:
    prefix<A> where(std::size_t i) const noexcept { return {bases_[i], lengths_[i]}; }
    // Routes not behind `p` in prefix order.
    std::size_t count_up_to(prefix<A> p) const noexcept {
        std::size_t low = 0;
        std::size_t high = size_;
        while (low < high) {
            const std::size_t middle = low + (high - low) / 2;
            if (p < where(middle))
                high = middle;
            else
                low = middle + 1;
        }
        return low;
    }
    // A cover of `a` comes before it, and all between the two lie within that cover. So the last route before
    // `a` is the match, or shares with `a` at least the bits of the match: the search goes on with these.
    std::optional<route<A>> match(A a, unsigned longest) const noexcept {
        for (unsigned length = longest;;) {
            const std::size_t before = count_up_to(prefix<A>::make(a, length));
            if (before == 0)
                return std::nullopt;
            const route<A> found = (*this)[before - 1];
            if (found.where.contains(a))
                return found;
            length = common_length(found.where.base, a);
        }
    }

    const A* bases_ = nullptr;
    const std::uint8_t* lengths_ = nullptr;
    const next_hop* hops_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace fingerpost
