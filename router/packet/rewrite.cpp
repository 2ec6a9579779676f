// Prepared headers, and VLAN tags for the host.
#include "router/packet/rewrite.hpp"

namespace fingerpost::router {

link_header::link_header(const rte_ether_addr& to, const rte_ether_addr& from, std::uint16_t vlan) noexcept
    : length_(vlan == 0 ? untagged_length : tagged_length) {
    std::uint8_t* const start = bytes_.data();
    std::memcpy(start, &to, sizeof to);
    std::memcpy(start + sizeof to, &from, sizeof from);
    if (vlan != 0) {
        const rte_be16_t tag[] = {RTE_BE16(RTE_ETHER_TYPE_VLAN), rte_cpu_to_be_16(vlan)};
        std::memcpy(start + sizeof to + sizeof from, tag, sizeof tag);
    }
}

bool put_tag_back(rte_mbuf& frame) noexcept {
    if ((frame.ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED) == 0)
        return true;
    // DPDK takes the tag from the field of the VLAN note, and clears the flag.
    rte_mbuf* inserted = &frame;
    if (rte_vlan_insert(&inserted) != 0)
        return false;
    note_link_length(frame, tagged_length);
    return true;
}

} // namespace fingerpost::router
