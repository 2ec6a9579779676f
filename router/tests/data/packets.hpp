// Packets for the data-plane tests: hand-written bytes, and mbufs made of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <vector>

#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "router/packet/inspect.hpp"

namespace fingerpost::router::testing {

using octets = std::vector<std::uint8_t>;

// Two digits for each byte; blanks are ignored.
octets hex(std::string_view digits);

// The Internet checksum as defined in RFC 1071, without code from DPDK: sums of 16 bits, one carry at a time.
std::uint16_t reference_checksum(const std::uint8_t* bytes, std::size_t count);

// A frame that is changed step by step. Offsets count from its first byte; `ip` is the offset of the IP
// header.
struct frame {
    octets bytes;
    std::size_t ip = 14;

    // Replaces bytes at an offset in the IP packet, or in the whole frame.
    frame ip_set(std::size_t offset, std::string_view digits) const;
    frame set(std::size_t offset, std::string_view digits) const;
    // Inserts an 802.1Q tag with this control information after the MAC addresses.
    frame tagged(std::uint16_t tci) const;
    frame padded(std::size_t more) const;
    frame cut(std::size_t length) const;
    // Inserts option words after the first 20 bytes, and sets both lengths.
    frame with_options(std::string_view digits) const;
    // Inserts an IPv6 extension header after the IPv6 header. Its first byte is replaced by the former
    // protocol.
    frame with_extension(std::uint8_t protocol, std::string_view digits) const;
    // Corrects the IPv4 header checksum, over the part of the header that exists.
    frame summed() const;
};

// From 192.0.2.1 to 198.51.100.7, UDP, 18 bytes of data: 60 bytes. From 2001:db8::1 to 2001:db8:1::7,
// likewise.
frame ipv4_frame();
frame ipv6_frame();

inline const rte_ether_addr our_mac{{0x02, 0, 0, 0, 0, 1}};
// Our MAC, VLANs 5 and 100, and a flow key that is equal in every run.
ingress test_ingress();

// One pool for the whole program. The first call starts DPDK's environment without huge pages and devices.
rte_mempool& test_pool();
// A separate pool, which the caller must free.
rte_mempool* new_pool(const char* name, unsigned packets, std::uint16_t room);

struct free_packet {
    void operator()(rte_mbuf* packet) const { rte_pktmbuf_free(packet); }
};
using packet_pointer = std::unique_ptr<rte_mbuf, free_packet>;

// The data is on the heap and ends at the end of its memory, so that the address sanitizer detects reads past
// it.
packet_pointer make_packet(const octets& bytes);
// In the mbuf's own buffer, as drivers do.
packet_pointer make_direct_packet(const octets& bytes);
// Two segments, the first with this many bytes.
packet_pointer make_segmented_packet(const octets& bytes, std::size_t first);

octets bytes_of(const rte_mbuf& packet);

} // namespace fingerpost::router::testing
