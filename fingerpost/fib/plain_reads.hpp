// The reader of lookups; see fib/layout.hpp. Kernels of all instruction sets use it, so it is inlined.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/simd/inline.hpp"

namespace fingerpost {

// Each read is only the load.
struct plain_reads {
    template <class Array>
    FINGERPOST_INLINE constexpr const auto& operator()(const Array& from, std::size_t index) const {
        return from[index];
    }
    // Returns the position of the first of several consecutive items.
    template <class T>
    FINGERPOST_INLINE constexpr const T* operator()(const T* from, std::size_t index, std::size_t) const {
        return from + index;
    }
    template <class Tell>
    FINGERPOST_INLINE constexpr void tell(const Tell&) const {}
    // The last read: returns the next hop of a number, which may be an index into a list.
    template <class Decoder>
    FINGERPOST_INLINE constexpr auto answer(const Decoder& hops, std::uint32_t number) const {
        return hops.decode(number);
    }
};

} // namespace fingerpost
