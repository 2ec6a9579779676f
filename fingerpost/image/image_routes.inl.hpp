// The bodies of image_routes<A>, for the library and for tests of other widths.
#pragma once

#include <algorithm>

#include "fingerpost/image/image_routes.hpp"

namespace fingerpost {

template <class A>
std::size_t image_routes<A>::longer_than(unsigned length) const noexcept {
    return static_cast<std::size_t>(
        std::count_if(lengths_, lengths_ + size_, [=](std::uint8_t one) { return one > length; }));
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
std::optional<route<A>> image_routes<A>::cover(prefix<A> p) const noexcept {
    if (p.length == 0 || p.length > A::bits)
        return std::nullopt;
    return match(p.base, p.length - 1u);
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

// Routes that are not after `p` in prefix order.
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
bool image_routes<A>::has_within(const prefix<A>& p) const noexcept {
    const std::size_t i = count_up_to(prefix<A>::make(p.last(), A::bits));
    return i > 0 && p.covers(where(i - 1));
}

// A cover of `a` comes before it, and all routes between the two lie within that cover. So the last route
// before `a` is the match, or shares with `a` at least the bits of the match: the search goes on with these.
template <class A>
std::optional<route<A>> image_routes<A>::match(A a, unsigned longest) const noexcept {
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

} // namespace fingerpost
