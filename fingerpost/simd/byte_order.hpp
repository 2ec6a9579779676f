// Converts many addresses at a time from network byte order to numbers: for the edges of the library.
#pragma once

#include <cstddef>

#include "fingerpost/net/address.hpp"
#include "fingerpost/simd/select.hpp"

namespace fingerpost::simd {

// `in` has `count` addresses, one after the other, at any alignment; it must not overlap `out`.
struct byte_order_kernels {
    void (*ipv4)(const unsigned char* in, ipv4_address* out, std::size_t count);
    void (*ipv6)(const unsigned char* in, ipv6_address* out, std::size_t count);
};

const byte_order_kernels& byte_order(isa which) noexcept;

// kernels.cpp defines one for each instruction set that was built.
const byte_order_kernels& kernels_for(isa_tag<isa::scalar>) noexcept;
const byte_order_kernels& kernels_for(isa_tag<isa::avx2>) noexcept;
const byte_order_kernels& kernels_for(isa_tag<isa::avx512>) noexcept;
const byte_order_kernels& kernels_for(isa_tag<isa::neon>) noexcept;

} // namespace fingerpost::simd
