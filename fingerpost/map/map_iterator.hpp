// Goes through the entries of a map, those of IPv4 first, each family in prefix order.
#pragma once

#include <cstddef>

#include "fingerpost/map/map_state.hpp"

namespace fingerpost::detail {

template <class T, bool shares>
class map_iterator {
  public:
    using value_type = map_entry<any_prefix, T>;
    using difference_type = std::ptrdiff_t;

    map_iterator() = default;
    explicit map_iterator(const map_state<T, shares>& of) noexcept
        : of_(&of), ipv4_(of.ipv4.live().begin_routes()), ipv6_(of.ipv6.live().begin_routes()) {}

    value_type operator*() const noexcept {
        if (ipv4_ != end_of_routes{})
            return entry_of(of_->ipv4, *ipv4_);
        return entry_of(of_->ipv6, *ipv6_);
    }
    map_iterator& operator++() noexcept {
        if (ipv4_ != end_of_routes{})
            ++ipv4_;
        else
            ++ipv6_;
        return *this;
    }
    void operator++(int) noexcept { ++*this; }
    friend bool operator==(const map_iterator& at, end_of_routes end) noexcept {
        return at.ipv4_ == end && at.ipv6_ == end;
    }

  private:
    template <class A>
    static value_type entry_of(const family_map<A, T, shares>& in, const route<A>& r) noexcept {
        const auto found = in.as_entry(r);
        return {found.where, found.value};
    }

    const map_state<T, shares>* of_ = nullptr;
    typename rib<ipv4_address>::iterator ipv4_{};
    typename rib<ipv6_address>::iterator ipv6_{};
};

} // namespace fingerpost::detail
