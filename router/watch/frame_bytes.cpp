// Reads headers without relying on the packet's notes.
#include "router/watch/frame_bytes.hpp"

#include <algorithm>
#include <cstring>

#include "router/packet/link.hpp"

namespace fingerpost::router {

std::size_t copy_bytes(const rte_mbuf& frame, std::span<std::uint8_t> into) noexcept {
    std::size_t copied = 0;
    for (const rte_mbuf* part = &frame; part != nullptr && copied < into.size(); part = part->next) {
        const std::size_t bytes = std::min<std::size_t>(part->data_len, into.size() - copied);
        std::memcpy(into.data() + copied, rte_pktmbuf_mtod(part, const void*), bytes);
        copied += bytes;
    }
    return copied;
}

std::optional<any_address> destination_of(const rte_mbuf& frame) noexcept {
    if (frame.data_len < untagged_length)
        return std::nullopt;
    const detail::link_view link = detail::view_link(frame);
    if (link.length == 0)
        return std::nullopt;
    const std::size_t room = frame.data_len - std::size_t{link.length};
    if (link.type == RTE_BE16(RTE_ETHER_TYPE_IPV4) && room >= sizeof(rte_ipv4_hdr))
        return any_address(
            ipv4_from(rte_pktmbuf_mtod_offset(&frame, const rte_ipv4_hdr*, link.length)->dst_addr));
    if (link.type == RTE_BE16(RTE_ETHER_TYPE_IPV6) && room >= sizeof(rte_ipv6_hdr))
        return any_address(
            ipv6_from(rte_pktmbuf_mtod_offset(&frame, const rte_ipv6_hdr*, link.length)->dst_addr));
    return std::nullopt;
}

} // namespace fingerpost::router
