// How every thread drops packets: they are counted, shown to a trace or a capture, and freed.
#pragma once

#include <optional>
#include <span>

#include <rte_mbuf.h>

#include "router/threads/counters.hpp"

namespace fingerpost::router {

// `exit`: the port by which the packets were about to leave, with the header for it.
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
