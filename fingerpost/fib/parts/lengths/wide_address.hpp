// Extends addresses to the next machine width, so that structures of keys are needed for only three widths.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "fingerpost/net/prefix.hpp"

namespace fingerpost {

// The smallest of 32, 64 and 128 that is not below the width. IPv4 and IPv6 keep their widths.
template <class A>
using wide_address = std::conditional_t<(A::bits <= 32), address<32>,
                                        std::conditional_t<(A::bits <= 64), address<64>, address<128>>>;

template <class A>
constexpr wide_address<A> widen(A a) noexcept {
    using wide = wide_address<A>;
    return wide{static_cast<typename wide::value_type>(a.value) << (wide::bits - A::bits)};
}
template <class A>
constexpr prefix<wide_address<A>> widen(const prefix<A>& p) noexcept {
    return {widen(p.base), p.length};
}
// Returns the address that begins with these bits.
template <class A>
constexpr A narrow(wide_address<A> wide) noexcept {
    return A{static_cast<typename A::value_type>(wide.value >> (wide_address<A>::bits - A::bits))};
}

// Calls use(addresses, from, count) for the addresses of a batch, starting at `from`: once for all of them if
// they have this width already, else in pieces that stay in the cache.
template <class A, class Use>
void for_each_wide_piece(std::span<const A> in, Use use) {
    using wide = wide_address<A>;
    if constexpr (A::bits == wide::bits) {
        use(in.data(), std::size_t{0}, in.size());
    } else {
        std::array<wide, 64> moved;
        for (std::size_t from = 0; from < in.size(); from += moved.size()) {
            const std::size_t count = std::min(moved.size(), in.size() - from);
            for (std::size_t i = 0; i < count; ++i)
                moved[i] = widen(in[from + i]);
            use(moved.data(), from, count);
        }
    }
}

// Kernels for each of the widths.
template <template <class> class Kernels>
struct kernels_by_width {
    Kernels<address<32>> narrow;
    Kernels<address<64>> half;
    Kernels<address<128>> full;

    template <class W>
    const Kernels<W>& of() const noexcept {
        if constexpr (W::bits == 32)
            return narrow;
        else if constexpr (W::bits == 64)
            return half;
        else
            return full;
    }
};

// The part that vectors compare: the address, or the first half of a 128-bit address.
template <class W>
using column_key = std::conditional_t<W::bits == 32, std::uint32_t, std::uint64_t>;
template <class W>
constexpr column_key<W> first_column(W a) noexcept {
    if constexpr (W::bits == 32)
        return a.value;
    else
        return top64(a);
}

} // namespace fingerpost
