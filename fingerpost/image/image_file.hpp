// File operations for images: map a file for reading, and replace a file atomically.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/base/path_ref.hpp"
#include "fingerpost/image/error.hpp"

namespace fingerpost {

// Returns the reason not to map a file of `file_bytes` that begins with `start`, or nothing. `start` holds
// most_start_bytes, or the whole file if it is shorter.
using start_check = std::optional<image_error> (*)(std::span<const std::byte> start,
                                                   std::uint64_t file_bytes);

// A regular file, mapped read-only and shared: all processes that map it use the same memory. The file must
// not be written to or truncated while it is mapped. replace_file() is safe, because it puts a new file in
// place.
class mapped_file {
  public:
    // Reads only the start unless `refuse` accepts it, because a file of another kind may be very large.
    static expected<mapped_file, image_error> open(path_ref path, start_check refuse) noexcept;

    mapped_file() = default;
    mapped_file(mapped_file&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
    mapped_file& operator=(mapped_file&& other) noexcept {
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~mapped_file();

    std::span<const std::byte> bytes() const noexcept { return bytes_; }

  private:
    std::span<const std::byte> bytes_; // empty for an empty file
};

// Writes a temporary file in the same folder, syncs it to disk, and renames it. On an error the old file is
// unchanged and the temporary file is removed. If the last step, syncing the folder, fails, the new file is
// already in place. A killed process leaves at most the temporary_file, which a signal handler can remove
// with remove_temporary_files().
//
// Symbolic links are followed: the file that they lead to is replaced or created. Only a regular file is
// replaced. Anything else is refused with image_errc::not_an_image, or with EISDIR for a folder. The new file
// gets the mode of the old one, and its owner and group as far as the system permits. If the group can't be
// kept, the new group gets only the rights of others. Without an old file, the mode is 0666 without the bits
// of the umask.
[[nodiscard]] image_error replace_file(path_ref path, std::span<const std::byte> bytes) noexcept;

} // namespace fingerpost
