// Copies bytes of frames, and finds the destination of packets of every kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <rte_mbuf.h>

#include "fingerpost/net/any.hpp"

namespace fingerpost::router {

// Copies the first bytes of a frame in any number of segments. Returns their number.
std::size_t copy_bytes(const rte_mbuf& frame, std::span<std::uint8_t> into) noexcept;

// The destination of a received frame, whether or not the checks accepted it. None if it has no complete IP
// header.
std::optional<any_address> destination_of(const rte_mbuf& frame) noexcept;

} // namespace fingerpost::router
