// The second stage: looks up the next hops of a whole burst, and removes packets that are not forwarded.
//
// A burst is one batch for the table of each address family. If it contains packets of several VRFs, each
// VRF's packets form a batch. The stage never waits for more packets, however small the burst is.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "fingerpost/table/table.hpp"
#include "router/forward/forwarding.hpp"
#include "router/threads/burst.hpp"
#include "router/threads/counters.hpp"
#include "router/threads/host_cause.hpp"

namespace fingerpost::router {

// The results of a burst. Packets that are dropped silently are in neither list.
struct looked_up {
    std::span<rte_mbuf* const> forward;                       // their next hops are in their notes
    std::array<const next_hop_entry*, most_in_burst> entries; // of `forward`
    packet_list host;                                         // their causes are in their notes
    packet_list rest; // storage of `forward` if it is not the whole burst
};

// A burst of both families, with separate arrays for each.
struct mixed_burst {
    std::array<ipv4_address, most_in_burst> to4;
    std::array<std::uint64_t, most_in_burst> first6;
    std::array<std::uint64_t, most_in_burst> low6;
    std::array<std::uint8_t, most_in_burst> positions4; // in the burst
    std::array<std::uint8_t, most_in_burst> positions6;
    std::array<next_hop, most_in_burst> hops;
};

// The final next hop of an address, after groups and neighbours.
struct resolved_hop {
    next_hop hop;
    const next_hop_entry* entry;
};

class lookup_stage {
  public:
    // Fails with errc::out_of_memory.
    static expected<lookup_stage> create(const forwarding_view& tables, const flow_key& flows,
                                         thread_counters& counts) noexcept;

    // Processes up to most_in_burst packets, with their headers, that inspect() has accepted for forwarding.
    // Replaces the contents of `into`, which may refer to `burst`. On return `headers.ip` and `headers.ipv4`
    // describe `into.forward`.
    void run(std::span<rte_mbuf* const> burst, burst_headers& headers, looked_up& into) noexcept;
    // Looks up one address as for a packet in the VRF and flow of `like`.
    resolved_hop find(ipv4_address to, const rte_mbuf& like) noexcept;
    resolved_hop find(ipv6_address to, const rte_mbuf& like) noexcept;

  private:
    lookup_stage(const forwarding_view& tables, const flow_key& flows, thread_counters& counts,
                 ip_reader first, std::vector<ip_reader> others)
        : tables_(tables), flows_(flows), counts_(&counts), first_(std::move(first)),
          others_(std::move(others)) {}

    ip_reader& reader_for(vrf_number vrf) noexcept { return vrf == default_vrf ? first_ : others_[vrf - 1]; }
    ip_reader& reader_for(const rte_mbuf& packet) noexcept;

    template <class A>
    resolved_hop follow(next_hop hop, A destination, std::uint32_t flow) const noexcept;
    // Write the next hops of a burst, in one VRF or in several, to hops_.
    void find_all(std::span<rte_mbuf* const> burst, const burst_headers& headers, ip_reader& in) noexcept;
    void find_by_vrf(std::span<rte_mbuf* const> burst, const burst_headers& headers) noexcept;
    void find_mixed(std::span<rte_mbuf* const> burst, const burst_headers& headers, ip_reader& in) noexcept;
    static void look_up(std::span<const std::uint64_t> first, std::span<const std::uint64_t> low,
                        std::span<next_hop> out, ip_reader& in) noexcept;
    packet_sample sample_of(const rte_mbuf& packet) const noexcept;
    void sort(std::span<rte_mbuf* const> burst, burst_headers& headers, looked_up& into) noexcept;
    void trace(packet_trace& in, std::span<rte_mbuf* const> burst) const noexcept;
    const next_hop_entry* sort_by_last_hop(rte_mbuf* packet, next_hop hop, looked_up& into) noexcept;

    forwarding_view tables_;
    flow_key flows_;
    thread_counters* counts_;
    ip_reader first_; // of the default VRF
    std::vector<ip_reader> others_;
    // Buffers for one burst; members, because local arrays would be initialised for every burst.
    mixed_burst mixed_;
    std::array<next_hop, most_in_burst> hops_;
};

} // namespace fingerpost::router
