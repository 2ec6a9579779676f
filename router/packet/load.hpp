// Numbers from the bytes of packets, at any alignment.
#pragma once

#include <cstring>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::router::detail {

// In the order of the packet's bytes.
template <class T>
T load(const void* from) noexcept {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

} // namespace fingerpost::router::detail
