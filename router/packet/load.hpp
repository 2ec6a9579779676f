// Loads numbers from the bytes of packets, at any alignment.
#pragma once

#include <cstring>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::router::detail {

// The value keeps the byte order of the packet.
template <class T>
T load(const void* from) noexcept {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

} // namespace fingerpost::router::detail
