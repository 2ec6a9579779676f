// List of the units of an array that were written since the array was last copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost {

// Unit numbers in the order of writing, possibly repeated. The list is unknown before start(), and again when
// it reaches 1/50 of the array, because copying everything then costs about the same.
class dirty_list {
  public:
    // Starts an empty list, after an array of this many bytes was copied.
    void start(std::size_t bytes) noexcept {
        list_.clear();
        most_ = bytes / 256 + 16;
        is_known_ = true;
    }
    // Throws std::bad_alloc.
    void add(std::size_t unit) {
        if (!is_known_ || (!list_.empty() && list_.back() == unit))
            return;
        // A unit number that does not fit makes the list overflow.
        is_known_ = list_.size() < most_ && unit <= std::numeric_limits<std::uint32_t>::max();
        if (is_known_)
            list_.push_back(static_cast<std::uint32_t>(unit));
    }
    // Marks everything as written, for changes that may have moved anything.
    void add_all() noexcept { is_known_ = false; }

    bool are_known() const noexcept { return is_known_; }
    std::span<const std::uint32_t> list() const noexcept { return list_; }
    std::size_t memory_bytes() const noexcept { return list_.capacity() * sizeof(std::uint32_t); }

  private:
    std::vector<std::uint32_t> list_;
    std::size_t most_ = 0;
    bool is_known_ = false;
};

} // namespace fingerpost
