// Captured frames as a file in the pcapng format (draft-ietf-opsawg-pcapng), which Wireshark and tshark open.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace fingerpost::cli {

struct captured_frame {
    std::uint64_t time = 0;                // nanoseconds since 1970
    std::string_view interface {};         // its name
    bool is_outbound = false;              // else inbound
    std::uint32_t length = 0;              // of the whole frame
    std::span<const std::uint8_t> bytes{}; // from its begin on, as far as they were captured
    std::string_view comment{};
};

// Returns blocks to be written one after the other.
class pcapng_writer {
  public:
    // Frames are Ethernet frames of at most `most_bytes` bytes.
    explicit pcapng_writer(std::uint32_t most_bytes) : most_bytes_(most_bytes) {}

    // The first block of a file; `program` is what wrote it.
    std::string begin(std::string_view program) const;
    // The frame, behind a description of its interface if it is the first one there.
    std::string add(const captured_frame& frame);

  private:
    std::uint32_t most_bytes_;
    std::map<std::string, std::uint32_t, std::less<>> interfaces_;
};

} // namespace fingerpost::cli
