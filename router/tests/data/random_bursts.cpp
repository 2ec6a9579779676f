// Generates random bursts.
#include "router/tests/data/random_bursts.hpp"

#include <cstdlib>

namespace fingerpost::router::testing {

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
    const char* const text = std::getenv(variable);
    return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

packet_pointer received_frame::as_packet() const {
    packet_pointer made = segment != 0 && segment < in.bytes.size() ? make_segmented_packet(in.bytes, segment)
                                                                    : make_packet(in.bytes);
    made->ol_flags |= flags;
    made->vlan_tci = tag;
    made->hash.rss = 0x12345678;
    return made;
}

std::vector<received_frame> random_bursts::next() {
    static constexpr unsigned odd_of_64[] = {0, 0, 0, 1, 2, 8, 32};
    const unsigned odd = odd_of_64[below(std::size(odd_of_64))];
    const unsigned of_ipv6 = below(4) == 0 ? 32 : 64 * below(2); // of 64
    std::vector<received_frame> burst(below(8) == 0 ? below(65) : 64);
    for (received_frame& one : burst)
        one = next_frame(below(64) < of_ipv6, odd);
    return burst;
}

received_frame random_bursts::next_frame(bool ipv6, unsigned odd_of_64) {
    received_frame made{ipv6 ? ipv6_frame() : ipv4_frame()};
    octets& bytes = made.in.bytes;
    // Arbitrary addresses, mostly ordinary ones.
    const std::size_t source = made.in.ip + (ipv6 ? 8u : 12u), size = ipv6 ? 16 : 4;
    for (std::size_t i = source; i < source + 2 * size; ++i)
        bytes[i] = byte();
    for (const std::size_t first : {source, source + size})
        bytes[first] = below(64) < odd_of_64 ? byte() : static_cast<std::uint8_t>(1 + below(100));
    bytes[made.in.ip + (ipv6 ? 7u : 8u)] = static_cast<std::uint8_t>(2 + below(254)); // hops
    const std::uint32_t more = below(4) == 0 ? below(1400) : 0;
    bytes.resize(bytes.size() + more, 0x5a);
    const std::size_t length = bytes.size() - made.in.ip - (ipv6 ? 40u : 0u);
    bytes[made.in.ip + (ipv6 ? 4u : 2u)] = static_cast<std::uint8_t>(length >> 8);
    bytes[made.in.ip + (ipv6 ? 5u : 3u)] = static_cast<std::uint8_t>(length);
    made.flags = below(2) == 0 ? RTE_MBUF_F_RX_RSS_HASH : 0;
    if (below(64) < odd_of_64)
        make_odd(made, ipv6);
    if (!ipv6 && bytes.size() >= made.in.ip + 20 && below(64) >= odd_of_64)
        made.in = made.in.summed();
    if (!ipv6 && below(3) == 0)
        made.flags |= RTE_MBUF_F_RX_IP_CKSUM_GOOD;
    return made;
}

void random_bursts::make_odd(received_frame& one, bool ipv6) {
    octets& bytes = one.in.bytes;
    switch (below(9)) {
    case 0: // any byte of the headers
        bytes[below(54)] = byte();
        break;
    case 1: // one bit of the headers
        bytes[below(54)] ^= static_cast<std::uint8_t>(1u << below(8));
        break;
    case 2:
        bytes[one.in.ip + (ipv6 ? 7u : 8u)] = static_cast<std::uint8_t>(below(3));
        break;
    case 3:
        one.in = one.in.padded(1 + below(20));
        break;
    case 4:
        bytes.resize(below(static_cast<std::uint32_t>(bytes.size())));
        break;
    case 5:
        one.in = one.in.tagged(static_cast<std::uint16_t>(below(2) == 0 ? 5 : below(65536)));
        break;
    case 6:
        one.flags |= RTE_MBUF_F_RX_VLAN_STRIPPED | RTE_MBUF_F_RX_VLAN;
        one.tag = static_cast<std::uint16_t>(below(2) == 0 ? 5 : below(65536));
        break;
    case 7:
        one.segment = 1 + below(80);
        break;
    default:
        one.in = ipv6 ? one.in.with_extension(below(2) == 0 ? 0 : 60, "0000 0104 00000000")
                      : one.in.with_options("01010101");
    }
}

} // namespace fingerpost::router::testing
