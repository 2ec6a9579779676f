// Formats MAC addresses.
#pragma once

#include <string>

#include <fmt/format.h>

namespace fingerpost::router {

// Six bytes, as `02:00:00:00:00:01`.
template <class Mac>
std::string mac_text(const Mac& bytes) {
    return fmt::format("{:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x}", bytes[0], bytes[1], bytes[2], bytes[3],
                       bytes[4], bytes[5]);
}

} // namespace fingerpost::router
