// Short ways to write addresses in tests.
#pragma once

#include <cstdint>

#include "fingerpost/net/text.hpp"
#include "router/routes/sink/destination.hpp"
#include "router/routes/sink/interface_sink.hpp"

namespace fingerpost::router::testing {

// An address of either family.
inline any_address at(const char* text) {
    return *parse_address(text);
}

constexpr mac_address mac_of(std::uint32_t number) {
    return {2,
            0,
            static_cast<std::uint8_t>(number >> 24),
            static_cast<std::uint8_t>(number >> 16),
            static_cast<std::uint8_t>(number >> 8),
            static_cast<std::uint8_t>(number)};
}

} // namespace fingerpost::router::testing
