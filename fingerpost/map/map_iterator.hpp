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
        : of_(&of), ipv4_(of.live().template of<ipv4_address>().begin_routes()),
          ipv6_(of.live().template of<ipv6_address>().begin_routes()) {}

    value_type operator*() const noexcept {
        if (ipv4_ != end_of_routes{})
            return of_->template as_entry<any_prefix>(*ipv4_);
        return of_->template as_entry<any_prefix>(*ipv6_);
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
    const map_state<T, shares>* of_ = nullptr;
    typename rib<ipv4_address>::iterator ipv4_{};
    typename rib<ipv6_address>::iterator ipv6_{};
};

} // namespace fingerpost::detail
