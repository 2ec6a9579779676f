// The angular axis of a radial picture: by rank of routes or by address.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/net/route.hpp"

namespace fingerpost::cli {

enum class axis_kind : std::uint8_t {
    rank,    // every route gets the same share, in address order
    address, // every address gets the same share
};

template <class A>
class address_axis {
  public:
    // `sorted` is in prefix order and must outlive the axis.
    address_axis(std::span<const route<A>> sorted, axis_kind kind) noexcept : routes_(sorted), kind_(kind) {}

    // The share of the axis before this address, and before the next address; from 0 to 1. Without routes, a
    // rank axis returns 0.
    double before(A a) const noexcept {
        if (kind_ == axis_kind::address)
            return static_cast<double>(a.value) / addresses();
        return share_of(std::lower_bound(routes_.begin(), routes_.end(), a, base_is_below));
    }
    double through(A a) const noexcept {
        if (kind_ == axis_kind::address)
            return (static_cast<double>(a.value) + 1) / addresses();
        return share_of(std::upper_bound(routes_.begin(), routes_.end(), a, is_below_base));
    }

    struct block {
        prefix<A> where{};
        double from = 0; // shares of the axis, from 0 to 1
        double to = 0;
    };
    // The prefixes of one length that take at least 1/100 of the axis, in order.
    std::vector<block> large_blocks() const {
        constexpr double least = 0.01 - 1e-9; // tolerates rounding of differences
        std::vector<block> blocks;
        const auto add = [&](const prefix<A>& where) {
            const block block{where, before(where.first()), through(where.last())};
            if (block.to - block.from >= least)
                blocks.push_back(block);
        };
        if (kind_ == axis_kind::address) {
            // On this axis all blocks have the same size, and those of the usual length are too small.
            constexpr unsigned length = 4;
            for (unsigned i = 0; i < 1U << length; ++i)
                add(prefix<A>::make(A{static_cast<typename A::value_type>(
                                        static_cast<typename A::value_type>(i) << (A::bits - length))},
                                    length));
            return blocks;
        }
        constexpr unsigned length = A::bits == 32 ? 8 : 12;
        for (auto at = routes_.begin(); at != routes_.end();) {
            const auto where = prefix<A>::make(at->where.base, length);
            add(where);
            at = std::upper_bound(at, routes_.end(), where.last(), is_below_base);
        }
        return blocks;
    }

  private:
    using iterator = typename std::span<const route<A>>::iterator;

    static bool base_is_below(const route<A>& r, A a) noexcept { return r.where.base < a; }
    static bool is_below_base(A a, const route<A>& r) noexcept { return a < r.where.base; }
    static double addresses() noexcept { return std::ldexp(1.0, A::bits); }
    double share_of(iterator at) const noexcept {
        return routes_.empty()
                   ? 0
                   : static_cast<double>(at - routes_.begin()) / static_cast<double>(routes_.size());
    }

    std::span<const route<A>> routes_;
    axis_kind kind_;
};

} // namespace fingerpost::cli
