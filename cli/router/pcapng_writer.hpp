// Writes captured frames in the pcapng format (draft-ietf-opsawg-pcapng), which Wireshark and tshark open.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace fingerpost::cli {

struct captured_frame {
    std::uint64_t time = 0;                // nanoseconds since 1970
    std::string_view interface {};         // interface name
    bool is_outbound = false;              // otherwise inbound
    std::uint32_t length = 0;              // of the whole frame, in bytes
    std::span<const std::uint8_t> bytes{}; // captured bytes, from the start of the frame
    std::string_view comment{};
};

// Returns blocks that must be written in order.
class pcapng_writer {
  public:
    // Frames are Ethernet frames of at most `most_bytes` bytes.
    explicit pcapng_writer(std::uint32_t most_bytes) : most_bytes_(most_bytes) {}

    // The first block of a file. `program` is the name of the writing program.
    std::string begin(std::string_view program) const;
    // The frame's block, preceded by a description of its interface at the interface's first frame.
    std::string add(const captured_frame& frame);

  private:
    std::uint32_t most_bytes_;
    std::map<std::string, std::uint32_t, std::less<>> interfaces_;
};

} // namespace fingerpost::cli
