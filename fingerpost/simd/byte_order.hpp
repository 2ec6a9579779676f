// Converts arrays of addresses from network byte order to numbers, at the boundaries of the library.
#pragma once

#include <cstddef>

#include "fingerpost/net/address.hpp"
#include "fingerpost/simd/select.hpp"

namespace fingerpost::simd {

// `in` has `count` consecutive addresses, with any alignment. It must not overlap `out`.
struct byte_order_kernels {
    void (*ipv4)(const unsigned char* in, ipv4_address* out, std::size_t count);
    void (*ipv6)(const unsigned char* in, ipv6_address* out, std::size_t count);
};

const byte_order_kernels& byte_order(isa which) noexcept;

// Defined in kernels.cpp for each instruction set in the build.
const byte_order_kernels& kernels_for(isa_tag<isa::scalar>) noexcept;
const byte_order_kernels& kernels_for(isa_tag<isa::avx2>) noexcept;
const byte_order_kernels& kernels_for(isa_tag<isa::avx512>) noexcept;
const byte_order_kernels& kernels_for(isa_tag<isa::neon>) noexcept;

} // namespace fingerpost::simd
