// Reads frames of FRR's FPM protocol from a stream that arrives in chunks of any size:
//
//   byte 0   version, 1
//   byte 1   type of the payload: 1 is netlink, 2 protobuf
//   byte 2   length of the frame including this header, 16 bits, big-endian
//   byte 4   netlink messages
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "router/routes/netlink/netlink_message.hpp"

namespace fingerpost::router {

inline constexpr std::size_t fpm_header_bytes = 4;

struct fpm_frame {
    std::uint64_t offset = 0;           // of the frame's first byte within the stream
    std::span<const std::byte> payload; // valid until the next feed()
};

// An error in the stream, with its place.
struct fpm_error {
    std::uint64_t offset = 0;
    std::string reason;
};

class fpm_frame_reader {
  public:
    void feed(std::span<const std::byte> chunk);
    // Returns the next complete frame, or nothing if bytes of it are missing. After an error there are no
    // further frames, because the start of the next one is unknown.
    expected<std::optional<fpm_frame>, fpm_error> next();

  private:
    std::vector<std::byte> bytes_;
    std::size_t consumed_ = 0; // bytes of earlier frames
    std::uint64_t offset_ = 0; // of bytes_[consumed_], within the stream
};

// Decodes all messages of a frame, or none. The error's offset is relative to the stream.
expected<netlink_messages, fpm_error> decode_fpm(const fpm_frame& frame);

} // namespace fingerpost::router
