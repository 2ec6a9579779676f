// Verifies the checksums of an image's sections in parallel with other checks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "fingerpost/base/xxh64.hpp"

namespace fingerpost {

// Checksums of a large image are limited by memory speed, so they run on their own thread while the calling
// thread checks the contents of the sections.
class section_checksums {
  public:
    section_checksums() = default;
    section_checksums(const section_checksums&) = delete;
    section_checksums& operator=(const section_checksums&) = delete;
    ~section_checksums() { wait(); }

    // Throws std::bad_alloc.
    void add(std::uint64_t offset, std::span<const std::byte> bytes, std::uint64_t expected) {
        sections_.push_back({offset, bytes, expected});
    }
    // Call it once, after the last add(). If no thread can be created, first_wrong() does the work.
    void start() noexcept {
        std::size_t bytes = 0;
        for (const section& s : sections_)
            bytes += s.bytes.size();
        if (bytes < worth_a_thread)
            return;
        try {
            thread_ = std::thread([this] { compare(); });
        } catch (...) { // no thread available
        }
    }
    // Returns the offset of the first section with a wrong checksum, if there is one.
    std::optional<std::uint64_t> first_wrong() noexcept {
        wait();
        if (!compared_)
            compare();
        return wrong_;
    }

  private:
    static constexpr std::size_t worth_a_thread = std::size_t{4} << 20;

    struct section {
        std::uint64_t offset;
        std::span<const std::byte> bytes;
        std::uint64_t expected;
    };

    void compare() noexcept {
        for (const section& s : sections_) {
            if (xxh64(s.bytes) == s.expected)
                continue;
            wrong_ = s.offset;
            break;
        }
        compared_ = true;
    }
    void wait() noexcept {
        if (thread_.joinable())
            thread_.join();
    }

    std::vector<section> sections_;
    std::optional<std::uint64_t> wrong_;
    bool compared_ = false;
    std::thread thread_;
};

} // namespace fingerpost
