// Definitions of image_routes<A> members, for the library and for tests of other widths.
#pragma once

#include <algorithm>

#include "fingerpost/image/image_routes.hpp"

namespace fingerpost {

template <class A>
std::size_t image_routes<A>::longer_than(unsigned length) const noexcept {
    return static_cast<std::size_t>(std::count_if(
        lengths_, lengths_ + size_, [=](std::uint8_t route_length) { return route_length > length; }));
}

template <class A>
next_hop image_routes<A>::get(prefix<A> p) const noexcept {
    if (p.length > A::bits)
        return next_hop::none;
    p = prefix<A>::make(p.base, p.length);
    const std::size_t i = count_up_to(p);
    return i > 0 && where(i - 1) == p ? hops_[i - 1] : next_hop::none;
}

template <class A>
std::optional<std::size_t> image_routes<A>::index_of_cover(prefix<A> p) const noexcept {
    if (p.length == 0 || p.length > A::bits)
        return std::nullopt;
    return index_of_match(p.base, p.length - 1u);
}

template <class A>
std::optional<route<A>> image_routes<A>::match_prefix(prefix<A> p) const noexcept {
    return p.length > A::bits ? std::nullopt : route_at(index_of_match(p.base, p.length));
}

template <class A>
std::size_t image_routes<A>::first_wrong() const noexcept {
    for (std::size_t i = 0; i < size_; ++i) {
        if (lengths_[i] > A::bits || hops_[i] == next_hop::none || A::last() < bases_[i] ||
            !prefix<A>::is_canonical(bases_[i], lengths_[i]))
            return i;
        if (i > 0 && !(where(i - 1) < where(i)))
            return i;
    }
    return size_;
}

// Number of routes that do not follow `p` in prefix order.
template <class A>
std::size_t image_routes<A>::count_up_to(prefix<A> p) const noexcept {
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

template <class A>
std::vector<route<A>> image_routes<A>::copy() const {
    std::vector<route<A>> copied;
    copied.reserve(size_);
    for (const route<A> r : *this)
        copied.push_back(r);
    return copied;
}

// The routes are contiguous, because a prefix precedes all prefixes that it covers.
template <class A>
image_routes<A> image_routes<A>::covered(prefix<A> p) const noexcept {
    if (p.length > A::bits)
        return {};
    p = prefix<A>::make(p.base, p.length);
    std::size_t first = count_up_to(p);
    if (first > 0 && where(first - 1) == p)
        --first;
    const image_routes behind = from(first);
    const std::size_t count = behind.count_up_to(last_within(p));
    return {{behind.bases_, count}, {behind.lengths_, count}, {behind.hops_, count}};
}

// A cover of `a` precedes it, and all routes between the two lie within that cover. So the last route before
// `a` is either the match or shares at least the bits of the match with `a`. In the second case the search
// continues with these bits.
template <class A>
std::optional<std::size_t> image_routes<A>::index_of_match(A a, unsigned longest) const noexcept {
    for (unsigned length = longest;;) {
        const std::size_t before = count_up_to(prefix<A>::make(a, length));
        if (before == 0)
            return std::nullopt;
        const prefix<A> candidate = where(before - 1);
        if (candidate.contains(a))
            return before - 1;
        length = common_length(candidate.base, a);
    }
}

} // namespace fingerpost
