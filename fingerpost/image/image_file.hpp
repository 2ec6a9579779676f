// Files as images need them: mapped for reading, and replaced as a whole or not at all.
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

// Why not to map a file of `file_bytes` that begins with `start`; no error if it is to be mapped. `start`
// holds most_start_bytes, or all of a file that has fewer.
using start_check = std::optional<image_error> (*)(std::span<const std::byte> start,
                                                   std::uint64_t file_bytes);

// A regular file, mapped read-only and shared: all processes that map it use the same memory. The file must
// not be written to or cut while it is mapped; replace_file() does neither, it puts another one in its place.
class mapped_file {
  public:
    // Reads the start alone, and the rest only if `refuse` has nothing against it: a file of another kind may
    // be very large.
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
    std::span<const std::byte> bytes_; // none for an empty file
};

// Writes a temporary file beside the file, brings it to the disk, and renames it. On an error the old file is
// as it was and the temporary one is gone; only when the folder itself can't be brought to the disk, which
// comes last, the new file is in place already. A process that is killed leaves at most the temporary_file,
// which a handler of the signal removes by remove_temporary_files().
//
// Links are followed: the file that they lead to is replaced, or made where they lead to nothing. Only a
// regular file is replaced; anything else is refused with image_errc::not_an_image, a folder with EISDIR. The
// new file has the mode of the old one, and its owner and group as far as the system permits; if the group
// can't be kept its members get the rights of others, so that another group gets no more. Without an old file
// the mode is what the umask leaves of 0666.
[[nodiscard]] image_error replace_file(path_ref path, std::span<const std::byte> bytes) noexcept;

} // namespace fingerpost
