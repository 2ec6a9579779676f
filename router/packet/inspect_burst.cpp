// The fast path of the checks, and the sorting of a burst.
#include "router/packet/inspect_burst.hpp"

#include <cassert>

#include <rte_branch_prediction.h>
#include <rte_prefetch.h>

#include "router/packet/checksum.hpp"
#include "router/packet/link.hpp"
#include "router/packet/notes.hpp"
#include "router/packet/plain_group.hpp"

namespace fingerpost::router {

namespace {

using detail::load;
using std::uint8_t;

// After this many groups that are not plain, the rest of a burst is checked frame by frame: otherwise traffic
// of mixed families would pay for both.
constexpr unsigned most_others = 2;

// Headers are prefetched this many packets ahead: a few hundred cycles of work, the latency of memory.
constexpr std::size_t packets_ahead = 8;

struct ip_facts {
    std::uint32_t length = 0; // 0: the packet takes the slow path
    std::uint32_t packet_type = 0;
};

// The header is complete. `room` is the length of the frame from the header on.
inline ip_facts ordinary(const rte_ipv4_hdr& header, std::uint32_t room, bool known_good) noexcept {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&header);
    const std::uint32_t length = rte_be_to_cpu_16(header.total_length);
    const bool fine = (bytes[0] == RTE_IPV4_VHL_DEF) && (length >= sizeof header) && (length <= room) &&
                      detail::ordinary_ipv4[bytes[12]] && detail::ordinary_ipv4[bytes[16]] &&
                      (known_good || detail::checksum_holds(header));
    return {fine ? length : 0, RTE_PTYPE_L3_IPV4};
}

inline ip_facts ordinary(const rte_ipv6_hdr& header, std::uint32_t room) noexcept {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&header);
    const std::uint32_t length =
        static_cast<std::uint32_t>(sizeof header) + rte_be_to_cpu_16(header.payload_len);
    const bool fine = (bytes[0] >> 4 == 6) && (length <= room) && (header.proto != IPPROTO_HOPOPTS) &&
                      detail::ordinary_ipv6(bytes[8]) && detail::ordinary_ipv6(bytes[24]);
    return {fine ? length : 0, RTE_PTYPE_L3_IPV6};
}

// Performs all of inspect() for an ordinary packet. For other packets it returns false and writes nothing.
inline bool forward_ordinary(rte_mbuf& frame, const ingress& port, std::uint64_t mac) noexcept {
    const auto* bytes = rte_pktmbuf_mtod(&frame, const uint8_t*);
    if (unlikely(frame.nb_segs != 1 || frame.data_len < tagged_length + sizeof(rte_ipv4_hdr)))
        return false;
    const detail::link_view link = detail::view_link(frame);
    if (unlikely(detail::mac_bits(bytes) != mac) &&
        !detail::is_for_another(port, detail::mac_bits(bytes), link.vlan))
        return false;
    if (unlikely(!detail::has_interface(port, link.vlan)))
        return false;
    const std::uint32_t room = frame.data_len - static_cast<std::uint32_t>(link.length);
    const bool ipv4 = link.type == RTE_BE16(RTE_ETHER_TYPE_IPV4);
    ip_facts ip;
    if (ipv4)
        ip = ordinary(*reinterpret_cast<const rte_ipv4_hdr*>(bytes + link.length), room,
                      detail::checksum_known_good(frame));
    else if (link.type == RTE_BE16(RTE_ETHER_TYPE_IPV6) && room >= sizeof(rte_ipv6_hdr))
        ip = ordinary(*reinterpret_cast<const rte_ipv6_hdr*>(bytes + link.length), room);
    if (unlikely(ip.length == 0))
        return false;
    frame.data_len = static_cast<std::uint16_t>(link.length + ip.length);
    frame.pkt_len = frame.data_len;
    frame.packet_type = ip.packet_type;
    note_vlan(frame, link.vlan);
    note_link_length(frame, link.length);
    return true;
}

// Returns true if the packet is to be forwarded; otherwise it is put into its list.
bool forward_by_full_checks(rte_mbuf& frame, const ingress& port, sorted_burst& into) noexcept {
    const inspected result = inspect(frame, port);
    if (result.what == verdict::host) {
        into.host[into.host_count++] = &frame;
    } else if (result.what == verdict::drop) {
        into.reasons[into.drop_count] = result.why;
        into.dropped[into.drop_count++] = &frame;
    } else {
        return true;
    }
    return false;
}

inline void fetch(rte_mbuf* frame) noexcept {
    rte_prefetch0(rte_pktmbuf_mtod(frame, const void*));
}

} // namespace

void inspect_burst(std::span<rte_mbuf* const> burst, const ingress& port, sorted_burst& into) noexcept {
    assert(burst.size() <= most_in_burst);
    into.host_count = into.drop_count = 0;
    into.headers.clear();
    std::uint32_t forward =
        0; // a local copy: as a member of `into` it would make each packet wait for the previous one
    const std::uint64_t mac = detail::bits_of(port.mac);
    const detail::plain_port plain(mac);
    unsigned others = 0; // number of groups that were not plain
    for (std::size_t i = 0; i < burst.size() && i < packets_ahead; ++i)
        fetch(burst[i]);
    for (std::size_t i = 0; i < burst.size();) {
        const std::size_t group = RTE_MIN(detail::group_size, burst.size() - i);
        for (std::size_t next = i + packets_ahead; next < i + packets_ahead + group && next < burst.size();
             ++next)
            fetch(burst[next]);
        if (group == detail::group_size && others < most_others) {
            if (likely(detail::forward_plain(&burst[i], plain, into.headers, forward))) {
                std::memcpy(&into.forward[forward], &burst[i], group * sizeof burst[i]);
                forward += static_cast<std::uint32_t>(group);
                i += group;
                continue;
            }
            ++others;
        }
        for (const std::size_t end = i + group; i < end; ++i)
            if (likely(forward_ordinary(*burst[i], port, mac)) ||
                forward_by_full_checks(*burst[i], port, into)) {
                into.headers.put(forward, *burst[i]);
                into.forward[forward++] = burst[i];
            }
    }
    into.forward_count = forward;
}

} // namespace fingerpost::router
