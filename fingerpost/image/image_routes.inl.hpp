// Definitions of image_routes<A> members, for the library and for tests of other widths.
#pragma once

#include <algorithm>
#include <array>

#include "fingerpost/image/image_routes.hpp"

namespace fingerpost {

template <class A>
std::size_t image_routes<A>::longer_than(unsigned length) const noexcept {
    if (length >= A::bits)
        return 0;
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

// Opening an image checks all its routes. Separate loops without branches take half the time of one loop.
template <class A>
bool image_routes<A>::has_wrong(std::size_t begin, std::size_t end) const noexcept {
    using value = typename A::value_type;
    static constexpr auto free_bits = [] {
        std::array<value, 256> masks{};
        for (unsigned length = 0; length < masks.size(); ++length)
            masks[length] = static_cast<value>(~network_mask<A>(length));
        return masks;
    }();
    std::uint8_t longest = 0;
    for (std::size_t i = begin; i < end; ++i)
        longest = std::max(longest, lengths_[i]);
    std::uint32_t has_none = 0;
    for (std::size_t i = begin; i < end; ++i)
        has_none |= std::uint32_t{hops_[i] == next_hop::none};
    value stray = 0; // bits past the length or the width
    for (std::size_t i = begin; i < end; ++i)
        stray |= bases_[i].value & free_bits[lengths_[i]];
    std::uint32_t is_ordered = 1;
    for (std::size_t i = std::max<std::size_t>(begin, 1); i < end; ++i)
        is_ordered &=
            std::uint32_t{bases_[i - 1] < bases_[i]} |
            (std::uint32_t{bases_[i - 1] == bases_[i]} & std::uint32_t{lengths_[i - 1] < lengths_[i]});
    return longest > A::bits || has_none != 0 || stray != 0 || is_ordered == 0;
}

template <class A>
std::size_t image_routes<A>::first_wrong() const noexcept {
    std::size_t group = 4096;
    std::size_t i = 0;
    while (i < size_)
        if (!has_wrong(i, std::min(i + group, size_)))
            i += group;
        else if (group != 1)
            group = 1;
        else
            break;
    return std::min(i, size_);
}

template <class A>
bool image_routes<A>::has_hops_from(std::size_t end) const noexcept {
    const auto least = static_cast<std::uint32_t>(std::min<std::size_t>(end, next_hop::none.id));
    std::uint32_t has_any = 0;
    for (std::size_t i = 0; i < size_; ++i)
        has_any |= std::uint32_t{hops_[i].id >= least};
    return has_any != 0;
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
