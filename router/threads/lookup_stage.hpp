// The second stage: finds the next hops of a whole burst at once, and sorts out packets that are not
// forwarded.
//
// A burst is one batch for each family's table. Whatever the size of a burst is, the stage never waits for
// more packets.
#pragma once

#include <array>
#include <span>

#include "fingerpost/table/table.hpp"
#include "router/forward/forwarding.hpp"
#include "router/threads/burst.hpp"
#include "router/threads/counters.hpp"
#include "router/threads/host_cause.hpp"

namespace fingerpost::router {

// The results of a burst. Packets that are dropped silently are in neither list.
struct looked_up {
    std::span<rte_mbuf* const> forward;                       // with their next hop in their notes
    std::array<const next_hop_entry*, most_in_burst> entries; // of `forward`
    packet_list host;                                         // with their cause in their notes
    packet_list rest; // what `forward` refers to if it is not the whole burst
};

// The packets of a burst of both families, the IPv6 ones first.
struct mixed_burst {
    std::array<ipv4_address, most_in_burst> to4;
    std::array<std::uint64_t, most_in_burst> first6;
    std::array<std::uint64_t, most_in_burst> low6;
    std::array<std::uint8_t, most_in_burst> positions4; // in the burst
    std::array<std::uint8_t, most_in_burst> positions6;
    std::array<next_hop, most_in_burst> hops;
};

// The last next hop of an address, behind groups and neighbours.
struct resolved_hop {
    next_hop hop;
    const next_hop_entry* entry;
};

class lookup_stage {
  public:
    // errc::out_of_memory.
    static expected<lookup_stage> create(const forwarding_view& tables, const flow_key& flows,
                                         thread_counters& counts) noexcept;

    // Takes packets that inspect() has accepted for forwarding, at most most_in_burst, with their headers.
    // Replaces what is in `into`, which may refer to `burst`; afterwards `headers.ip` are those of
    // `into.forward`.
    void run(std::span<rte_mbuf* const> burst, burst_headers& headers, looked_up& into) noexcept;
    // The same for one packet that is made by the router itself, of a flow of this hash.
    resolved_hop find(ipv4_address to, std::uint32_t flow) noexcept;
    resolved_hop find(ipv6_address to, std::uint32_t flow) noexcept;

  private:
    lookup_stage(const forwarding_view& tables, const flow_key& flows, thread_counters& counts,
                 reader<ipv4_address> ipv4, reader<ipv6_address> ipv6)
        : tables_(tables), flows_(flows), counts_(&counts), ipv4_(std::move(ipv4)), ipv6_(std::move(ipv6)) {}

    template <class A>
    resolved_hop follow(next_hop hop, A destination, std::uint32_t flow) const noexcept;
    void find(std::span<rte_mbuf* const> burst, const burst_headers& headers) noexcept;
    void find_mixed(std::span<rte_mbuf* const> burst, const burst_headers& headers) noexcept;
    void look_up(std::span<const std::uint64_t> first, std::span<const std::uint64_t> low,
                 std::span<next_hop> out) noexcept;
    void sort(std::span<rte_mbuf* const> burst, burst_headers& headers, looked_up& into) noexcept;
    void trace(packet_trace& in, std::span<rte_mbuf* const> burst) const noexcept;
    const next_hop_entry* sort_by_last_hop(rte_mbuf* packet, next_hop hop, looked_up& into) noexcept;

    forwarding_view tables_;
    flow_key flows_;
    thread_counters* counts_;
    reader<ipv4_address> ipv4_;
    reader<ipv6_address> ipv6_;
    // For one burst; kept, because making them anew would initialise them.
    mixed_burst mixed_;
    std::array<next_hop, most_in_burst> hops_;
};

} // namespace fingerpost::router
