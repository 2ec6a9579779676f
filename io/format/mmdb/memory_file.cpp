// Uses an anonymous file of Linux, whose name in /proc can be opened.
#include "io/format/mmdb/memory_file.hpp"

#include <cerrno>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace fingerpost::io {

memory_file::memory_file(memory_file&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), size_(std::exchange(other.size_, 0)) {}

memory_file::~memory_file() {
    if (descriptor_ >= 0)
        ::close(descriptor_);
}

bool memory_file::append(std::string_view bytes) {
    if (descriptor_ < 0)
        descriptor_ = ::memfd_create("fingerpost", MFD_CLOEXEC);
    if (descriptor_ < 0)
        return false;
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        size_ += static_cast<std::size_t>(written);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

std::string memory_file::path() const {
    return "/proc/self/fd/" + std::to_string(descriptor_);
}

} // namespace fingerpost::io
