// Random bursts for tests that compare burst functions with single-packet functions: mostly plain frames of
// one family, with a few arbitrary ones.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "router/tests/data/packets.hpp"

namespace fingerpost::router::testing {

// The number in an environment variable.
std::uint64_t number_from(const char* variable, std::uint64_t otherwise);

// A frame, and the data that a driver stores about it.
struct received_frame {
    frame in;
    std::uint64_t flags = 0; // ol_flags of the mbuf
    std::uint16_t tag = 0;   // if the flags say that the card removed a tag
    std::size_t segment = 0; // bytes in the first segment; 0: all

    packet_pointer as_packet() const;
};

class random_bursts {
  public:
    explicit random_bursts(std::uint64_t seed) : random_(seed) {}

    // Up to 64 frames. Most bursts contain few or no unusual frames.
    std::vector<received_frame> next();
    std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  private:
    received_frame next_frame(bool ipv6, unsigned odd_of_64);
    void make_odd(received_frame& one, bool ipv6);
    std::uint8_t byte() { return static_cast<std::uint8_t>(random_()); }

    std::mt19937_64 random_;
};

} // namespace fingerpost::router::testing
