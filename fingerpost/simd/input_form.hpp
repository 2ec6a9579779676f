// Memory layout of the addresses of a batch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::simd {

// 64-bit words with the first 64 bits of an address, address<128>, or address<32>. All are in host order.
enum class input_form : std::uint8_t { key64, ipv6, ipv4 };

constexpr std::size_t bytes_of(input_form form) noexcept {
    return form == input_form::key64 ? 8 : form == input_form::ipv6 ? 16 : 4;
}

} // namespace fingerpost::simd
