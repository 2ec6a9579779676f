// Collects the addresses of a burst, looks them up, and follows groups and neighbours to the last next hop.
#include "router/threads/lookup_stage.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include <rte_branch_prediction.h>
#include <rte_prefetch.h>

#include "fingerpost/base/reason.hpp"
#include "router/packet/notes.hpp"

namespace fingerpost::router {
namespace {

ipv4_address destination4(const rte_mbuf& packet) noexcept {
    return ipv4_from(ipv4_header(packet).dst_addr);
}
ipv6_address destination6(const rte_mbuf& packet) noexcept {
    return ipv6_from(ipv6_header(packet).dst_addr);
}
std::uint64_t first_half6(const rte_mbuf& packet) noexcept {
    return half_from(ipv6_header(packet).dst_addr);
}
std::uint64_t low_half6(const rte_mbuf& packet) noexcept {
    return half_from(ipv6_header(packet).dst_addr + 8);
}

} // namespace

expected<lookup_stage> lookup_stage::create(const forwarding_view& tables, thread_counters& counts) noexcept
    try {
    auto first = readers_of({tables.ipv4, tables.ipv6});
    if (!first)
        return unexpected{first.error()};
    std::vector<readers> others;
    for (const vrf_tables& of : tables.others) {
        auto one = readers_of(of);
        if (!one)
            return unexpected{one.error()};
        others.push_back(std::move(*one));
    }
    return lookup_stage(tables, counts, std::move(*first), std::move(others));
} catch (...) {
    return unexpected{reason_of_exception()};
}

expected<lookup_stage::readers> lookup_stage::readers_of(const vrf_tables& of) noexcept {
    auto ipv4 = of.ipv4->reader();
    if (!ipv4)
        return unexpected{ipv4.error()};
    auto ipv6 = of.ipv6->reader();
    if (!ipv6)
        return unexpected{ipv6.error()};
    return readers{std::move(*ipv4), std::move(*ipv6)};
}

lookup_stage::readers& lookup_stage::readers_for(const rte_mbuf& packet) noexcept {
    return others_.empty() ? first_
                           : readers_for(tables_.vrfs->get().of(ingress_port(packet), vlan_of(packet)));
}

void lookup_stage::look_up(const family_batch<ipv4_address>& some, std::span<rte_mbuf* const>,
                           std::span<next_hop> out, readers& in) noexcept {
    in.ipv4.pin().lookup(std::span(some.keys.data(), some.size), out);
}
// By first halves; second halves are collected only while the table has routes longer than /64.
void lookup_stage::look_up(const family_batch<std::uint64_t>& some, std::span<rte_mbuf* const> burst,
                           std::span<next_hop> out, readers& in) noexcept {
    const std::span first(some.keys.data(), some.size);
    const snapshot<ipv6_address> now = in.ipv6.pin();
    if (likely(now.lookup_first64(first, out) == errc::ok))
        return;
    std::array<std::uint64_t, most_in_burst> low;
    for (std::size_t i = 0; i < some.size; ++i)
        low[i] = low_half6(*burst[some.positions[i]]);
    now.lookup_halves(first, std::span(low).first(some.size), out);
}

template <class Key>
void lookup_stage::find(family_batch<Key>& some, std::span<rte_mbuf* const> burst, readers& in) noexcept {
    if (some.size == 0)
        return;
    if (some.size == burst.size()) // then a packet's position is its place
        return look_up(some, burst, hops_, in);
    look_up(some, burst, some.hops, in);
    for (std::size_t i = 0; i < some.size; ++i)
        hops_[some.positions[i]] = some.hops[i];
}

void lookup_stage::gather(std::span<rte_mbuf* const> burst) noexcept {
    std::size_t of_ipv4 = 0, of_ipv6 = 0;
    for (std::size_t i = 0; i < burst.size(); ++i) {
        const rte_mbuf& packet = *burst[i];
        if (is_ipv4(packet)) {
            batch4_.keys[of_ipv4] = destination4(packet);
            batch4_.positions[of_ipv4++] = static_cast<std::uint8_t>(i);
        } else {
            batch6_.keys[of_ipv6] = first_half6(packet);
            batch6_.positions[of_ipv6++] = static_cast<std::uint8_t>(i);
        }
    }
    batch4_.size = of_ipv4;
    batch6_.size = of_ipv6;
}

void lookup_stage::find_all(std::span<rte_mbuf* const> burst, readers& in) noexcept {
    gather(burst);
    find(batch4_, burst, in);
    find(batch6_, burst, in);
}

// The packets of a port mostly have one VRF, but rings between threads mix the ports.
void lookup_stage::find_by_vrf(std::span<rte_mbuf* const> burst) noexcept {
    const vrf_map& map = tables_.vrfs->get();
    std::array<vrf_number, most_in_burst> vrfs;
    bool mixed = false;
    for (std::size_t i = 0; i < burst.size(); ++i) {
        vrfs[i] = map.of(ingress_port(*burst[i]), vlan_of(*burst[i]));
        mixed |= vrfs[i] != vrfs[0];
    }
    if (!mixed) {
        if (!burst.empty())
            find_all(burst, readers_for(vrfs[0]));
        return;
    }
    std::array<next_hop, most_in_burst> found;
    std::array<std::uint8_t, most_in_burst> positions;
    // The packets whose VRF has not been looked up in, a bit each.
    static_assert(most_in_burst <= 64);
    for (std::uint64_t left = ~std::uint64_t{0} >> (64 - burst.size()); left != 0;) {
        packet_list part;
        const vrf_number vrf = vrfs[static_cast<std::size_t>(std::countr_zero(left))];
        for (std::uint64_t rest = left; rest != 0; rest &= rest - 1) {
            const auto i = static_cast<std::uint8_t>(std::countr_zero(rest));
            if (vrfs[i] != vrf)
                continue;
            positions[part.size()] = i;
            part.add(burst[i]);
            left &= ~(std::uint64_t{1} << i);
        }
        find_all(part.all(), readers_for(vrf));
        for (std::size_t i = 0; i < part.size(); ++i)
            found[positions[i]] = hops_[i];
    }
    std::copy_n(found.begin(), burst.size(), hops_.begin());
}

void lookup_stage::run(std::span<rte_mbuf* const> burst, looked_up& into) noexcept {
    into.host.clear();
    counts_->lookups.add(1);
    counts_->looked_up.add(burst.size());
    if (likely(others_.empty()))
        find_all(burst, first_);
    else
        find_by_vrf(burst);
    std::array<const next_hop_entry*, most_in_burst> entries;
    for (std::size_t i = 0; i < burst.size(); ++i) {
        entries[i] = &(*tables_.hops)[hops_[i]];
        rte_prefetch0(entries[i]);
    }
    std::size_t forward = 0; // a local copy: in `into`, each packet would wait for the previous one
    for (std::size_t i = 0; i < burst.size(); ++i) {
        const next_hop_entry* entry = entries[i];
        if (likely(entry->kind == hop_kind::forward))
            note_next_hop(*burst[i], hops_[i]);
        else
            entry = sort_by_last_hop(burst[i], hops_[i], into);
        into.entries[forward] = entry;
        into.forward.data()[forward] = burst[i];
        forward += entry != nullptr;
    }
    into.forward.set_size(forward);
}

template <class A>
resolved_hop lookup_stage::follow(next_hop hop, A destination, std::uint32_t flow) const noexcept {
    const next_hop_entry* entry = &(*tables_.hops)[hop];
    if (entry->kind == hop_kind::group) {
        hop = next_hop{entry->buckets()[flow % group_buckets]};
        entry = &(*tables_.hops)[hop];
    }
    if (entry->kind == hop_kind::connected) {
        const next_hop known = tables_.neighbours->find(entry->interface, destination);
        if (known != next_hop::none) {
            hop = known;
            entry = &(*tables_.hops)[hop];
        }
    }
    return {hop, entry};
}

resolved_hop lookup_stage::find(ipv4_address to, const rte_mbuf& like) noexcept {
    return follow(readers_for(like).ipv4.pin().lookup(to), to, flow_hash(like));
}
resolved_hop lookup_stage::find(ipv6_address to, const rte_mbuf& like) noexcept {
    return follow(readers_for(like).ipv6.pin().lookup(to), to, flow_hash(like));
}

// Follows groups and neighbours of a hop that cannot forward. Returns the last entry, or nullptr when the
// packet was dropped or given to the host.
const next_hop_entry* lookup_stage::sort_by_last_hop(rte_mbuf* packet, next_hop hop,
                                                     looked_up& into) noexcept {
    const resolved_hop last = is_ipv4(*packet) ? follow(hop, destination4(*packet), flow_hash(*packet))
                                               : follow(hop, destination6(*packet), flow_hash(*packet));
    note_next_hop(*packet, last.hop);
    if (last.entry->kind == hop_kind::forward)
        return last.entry;
    if (last.entry->kind == hop_kind::blackhole) {
        counts_->drop(drop_reason::blackhole);
        rte_pktmbuf_free(packet);
    } else {
        note_cause(*packet, cause_of(last.entry->kind));
        into.host.add(packet);
    }
    return nullptr;
}

} // namespace fingerpost::router
