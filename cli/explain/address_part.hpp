// A part of an address as text.
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "fingerpost/net/address.hpp"

namespace fingerpost::cli {

// `bits` bits of an address from `first` on: dotted or in groups if they are whole octets or groups, else
// hexadecimal.
template <class A>
std::string part_of_address(std::uint64_t number, unsigned first, unsigned bits) {
    constexpr unsigned unit = A::bits == 32 ? 8 : 16;
    if (first % unit != 0 || bits % unit != 0)
        return fmt::format("{:#0{}x}", number, 2 + (bits + 3) / 4);
    std::string out;
    for (unsigned left = bits; left > 0; left -= unit) {
        const std::uint64_t unit_value = number >> (left - unit) & low_mask<std::uint64_t>(unit);
        const std::string_view separator = out.empty() ? "" : A::bits == 32 ? "." : ":";
        out += A::bits == 32 ? fmt::format("{}{}", separator, unit_value)
                             : fmt::format("{}{:x}", separator, unit_value);
    }
    return out;
}

} // namespace fingerpost::cli
