// Drops packets: counts them, shows them to a running trace or capture, and frees them.
#pragma once

#include <optional>
#include <span>

#include <rte_mbuf.h>

#include "router/threads/counters.hpp"

namespace fingerpost::router {

// `exit` is the port that the packets were about to leave by, if they have the header for it already.
inline void drop(std::span<rte_mbuf*> packets, drop_reason why, thread_counters& counts,
                 std::optional<std::uint16_t> exit = std::nullopt) noexcept {
    counts.drop(why, packets.size());
    counts.watch.drop(packets, why, exit);
    rte_pktmbuf_free_bulk(packets.data(), static_cast<unsigned>(packets.size()));
}
inline void drop(rte_mbuf* packet, drop_reason why, thread_counters& counts) noexcept {
    drop(std::span(&packet, 1), why, counts);
}

} // namespace fingerpost::router
