// Files as images need them: mapped for reading, and replaced as a whole or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <utility>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/table/image_error.hpp"

namespace fingerpost {

// A regular file, mapped read-only and shared: all processes that map it use the same memory. The file must
// not be written to or cut while it is mapped; replace_file() does neither, it puts another one in its place.
class mapped_file {
  public:
    static expected<mapped_file, image_error> open(const std::filesystem::path& path) noexcept;

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

// Writes a temporary file beside `path`, brings it to the disk, and renames it. On an error the old file is
// as it was and the temporary one is gone; only when the folder itself can't be brought to the disk, which
// comes last, the new file is in place already. Who is killed leaves at most a file ".NAME.PID-N.tmp".
[[nodiscard]] image_error replace_file(const std::filesystem::path& path,
                                       std::span<const std::byte> bytes) noexcept;

} // namespace fingerpost
