// The packets of the router's benchmark: frames of 64 bytes (60 and the checksum that a card adds), which
// differ only in their destinations.
//
//   offset  IPv6                    IPv4
//   0       Ethernet header         Ethernet header
//   14      version, length, next   version ... TTL, checksum
//   38      destination (16 bytes)  30: destination (4 bytes)
//   54      number in the trace     number in the trace
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <rte_byteorder.h>
#include <rte_ether.h>
#include <rte_ip.h>

#include "fingerpost/net/address.hpp"

namespace fingerpost::bench {

inline constexpr std::size_t frame_bytes = 60;
inline constexpr std::uint8_t first_hop_limit = 64;

// Both ports of the benchmark have this address, so that a frame can arrive at either.
inline constexpr rte_ether_addr port_mac{{0x02, 0, 0, 0, 0, 1}};

using frame_data = std::array<std::uint8_t, frame_bytes>;

// The bytes in which frames of one family differ.
template <class A>
struct wire_address;

template <>
struct wire_address<ipv6_address> {
    std::array<std::uint8_t, 16> destination{}; // in network order

    void write(std::uint8_t* frame) const noexcept {
        std::memcpy(frame + 38, destination.data(), destination.size());
        frame[21] = first_hop_limit;
    }
};

template <>
struct wire_address<ipv4_address> {
    rte_be32_t destination = 0;
    rte_be16_t checksum = 0; // of the whole header, with the initial TTL

    void write(std::uint8_t* frame) const noexcept {
        std::memcpy(frame + 30, &destination, sizeof destination);
        std::memcpy(frame + 24, &checksum, sizeof checksum);
        frame[22] = first_hop_limit;
    }
};

// A frame without a destination.
template <class A>
frame_data make_frame() noexcept;

template <class A>
wire_address<A> on_the_wire(A destination) noexcept;

// True if routers forward packets to this address regardless of their routes, and the networks of the
// benchmark's ports do not contain it.
bool is_forwarded(ipv4_address a) noexcept;
bool is_forwarded(ipv6_address a) noexcept;

// Writes the frame's number in the trace.
inline void write_number(std::uint8_t* frame, std::uint32_t number) noexcept {
    std::memcpy(frame + 54, &number, sizeof number);
}
inline std::uint32_t number_of(const std::uint8_t* frame) noexcept {
    std::uint32_t number;
    std::memcpy(&number, frame + 54, sizeof number);
    return number;
}

// Each gateway has its own MAC address, which contains its number.
constexpr rte_ether_addr gateway_mac(std::uint32_t number) noexcept {
    return {{0x06, 0, static_cast<std::uint8_t>(number >> 24), static_cast<std::uint8_t>(number >> 16),
             static_cast<std::uint8_t>(number >> 8), static_cast<std::uint8_t>(number)}};
}
// The gateway that a frame was sent to.
inline std::uint32_t gateway_of(const std::uint8_t* frame) noexcept {
    rte_be32_t number;
    std::memcpy(&number, frame + 2, sizeof number);
    return rte_be_to_cpu_32(number);
}

// Address of a gateway on port `number % 2`, from the networks that RFC 2544 and RFC 5180 reserve for
// benchmarks.
ipv4_address gateway_address(std::uint32_t number, ipv4_address) noexcept;
ipv6_address gateway_address(std::uint32_t number, ipv6_address) noexcept;
// These networks have room for this many gateways.
inline constexpr std::uint32_t most_gateways = 60'000;

} // namespace fingerpost::bench
