// Frames of every kind from a seed: random bytes after some header, and valid packets with errors. The
// addresses are those of the router in random_frames_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

#include "router/tests/data/packets.hpp"

namespace fingerpost::router::testing {

inline constexpr std::size_t longest_frame = 2000;
inline constexpr std::uint16_t kernel_ethertype = 0x88b5; // for local experiments

class random_frames {
  public:
    explicit random_frames(std::uint32_t seed);

    // A frame of 0 to longest_frame bytes, to be received at a port.
    octets next(unsigned port);
    // In one or two segments; its data ends at the end of its memory.
    packet_pointer as_packet(const octets& bytes);
    // A frame that the kernel may send by any port.
    octets next_of_kernel();

    unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  private:
    bool one_in(unsigned n) { return below(n) == 0; }
    std::uint8_t byte() { return static_cast<std::uint8_t>(random_()); }
    template <class List>
    auto one_of(const List& list) {
        return list[below(static_cast<unsigned>(std::size(list)))];
    }
    void add_random(octets& to, std::size_t count);
    octets link_header(unsigned port, std::uint16_t ethertype);
    octets address(bool ipv4, bool as_source);
    std::size_t payload_length();
    octets ipv4_packet();
    octets ipv6_packet();
    octets ipv4_options();
    octets extension_headers(std::uint8_t& protocol);
    void spoil(octets& bytes);

    std::mt19937 random_;
    octets noise_; // random bytes for payloads
};

} // namespace fingerpost::router::testing
