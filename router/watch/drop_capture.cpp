// Copies packets. A tag that the device has removed is put back into the copy.
#include "router/watch/drop_capture.hpp"

#include <cstring>

#include <rte_cycles.h>

#include "router/packet/notes.hpp"
#include "router/watch/frame_bytes.hpp"

namespace fingerpost::router {
namespace {

constexpr std::size_t macs_bytes = 2 * sizeof(rte_ether_addr);

// Returns the number of bytes written.
std::size_t copy_with_tag(const rte_mbuf& frame, std::span<std::uint8_t> into) noexcept {
    const std::size_t copied = copy_bytes(frame, into.first(into.size() - sizeof(rte_vlan_hdr)));
    std::uint8_t* const tag = into.data() + macs_bytes;
    std::memmove(tag + sizeof(rte_vlan_hdr), tag, copied - macs_bytes);
    const rte_be16_t words[] = {RTE_BE16(RTE_ETHER_TYPE_VLAN), rte_cpu_to_be_16(vlan_of(frame))};
    std::memcpy(tag, words, sizeof words);
    return copied + sizeof(rte_vlan_hdr);
}

} // namespace

void drop_capture::add(const rte_mbuf& packet, drop_reason why, std::optional<std::uint16_t> exit) noexcept {
    if (begun_.load(std::memory_order_relaxed) >= count_)
        return;
    const auto slot = packets_.claim();
    if (!slot) {
        missed_.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    if (begun_.fetch_add(1, std::memory_order_relaxed) >= count_) {
        packets_.free(*slot);
        return;
    }
    dropped_packet& copy = packets_[*slot];
    copy.cycles = rte_rdtsc();
    copy.why = why;
    copy.is_outbound = exit.has_value();
    copy.port = exit.value_or(ingress_port(packet));
    const bool lacks_tag =
        !exit && (packet.ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED) != 0 && packet.data_len >= macs_bytes;
    copy.length = packet.pkt_len + (lacks_tag ? static_cast<std::uint32_t>(sizeof(rte_vlan_hdr)) : 0);
    copy.bytes_copied = static_cast<std::uint16_t>(lacks_tag ? copy_with_tag(packet, copy.bytes)
                                                             : copy_bytes(packet, copy.bytes));
    packets_.publish(*slot);
}

} // namespace fingerpost::router
