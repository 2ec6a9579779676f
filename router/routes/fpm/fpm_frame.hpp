// Frames of FRR's FPM protocol, taken from a stream of bytes that comes in pieces of any size:
//
//      byte 0   version, 1
//      byte 1   type of what follows: 1 is netlink, 2 protobuf
//      byte 2   length of the frame with this header, 16 bits, big-endian
//      byte 4   netlink messages
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

// The place of a fault in the stream, and what is wrong.
struct fpm_error {
    std::uint64_t offset = 0;
    std::string reason;
};

class fpm_frame_reader {
  public:
    void feed(std::span<const std::byte> chunk);
    // The next complete frame; none while bytes of it are missing. After an error the stream has no further
    // frames, because it is not known where the next one would begin.
    expected<std::optional<fpm_frame>, fpm_error> next();

  private:
    std::vector<std::byte> bytes_;
    std::size_t taken_ = 0;    // of bytes_, by earlier frames
    std::uint64_t offset_ = 0; // of bytes_[taken_], within the stream
};

// The messages of a frame, all or none; the error's place is within the stream.
expected<netlink_messages, fpm_error> decode_fpm(const fpm_frame& frame);

} // namespace fingerpost::router
