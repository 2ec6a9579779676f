// Addresses from the byte order of the network to numbers, many at a time: for the edges of the library.
#pragma once

#include <cstddef>

#include "fingerpost/net/address.hpp"

namespace fingerpost::simd {

// `in` has `count` addresses, one after the other, at any alignment, and does not overlap `out`.
struct byte_order_kernels {
    void (*ipv4)(const unsigned char* in, ipv4_address* out, std::size_t count);
    void (*ipv6)(const unsigned char* in, ipv6_address* out, std::size_t count);
};

} // namespace fingerpost::simd
