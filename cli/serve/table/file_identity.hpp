// Identifies the state of a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <sys/stat.h>

namespace fingerpost::cli {

struct file_identity {
    dev_t device = 0;
    ino_t number = 0;
    std::int64_t size = 0;
    std::int64_t seconds = 0;
    std::int64_t nanoseconds = 0;
    bool is_regular = false;

    // Returns nothing if the file does not exist.
    static std::optional<file_identity> of(const std::string& path) {
        struct stat status {};
        if (::stat(path.c_str(), &status) != 0)
            return std::nullopt;
        return file_identity{.device = status.st_dev,
                             .number = status.st_ino,
                             .size = status.st_size,
                             .seconds = status.st_mtim.tv_sec,
                             .nanoseconds = status.st_mtim.tv_nsec,
                             .is_regular = S_ISREG(status.st_mode)};
    }

    bool is_same_file(const file_identity& other) const noexcept {
        return device == other.device && number == other.number;
    }
    friend bool operator==(const file_identity&, const file_identity&) noexcept = default;
};

} // namespace fingerpost::cli
