// Which units of an array have been written since somebody had a copy of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost {

// Numbers of units, in the order of their writing, some of them twice. Not known before start(), nor once so
// much has been written that copying everything is hardly dearer; the list stays below a fiftieth of the
// array.
class dirty_list {
  public:
    // An array of so many bytes has its copy now.
    void start(std::size_t bytes) noexcept {
        list_.clear();
        most_ = bytes / 256 + 16;
        is_known_ = true;
    }
    // Throws std::bad_alloc.
    void add(std::size_t unit) {
        if (!is_known_ || (!list_.empty() && list_.back() == unit))
            return;
        // A unit that no number of the list can name is as good as one too many.
        is_known_ = list_.size() < most_ && unit <= std::numeric_limits<std::uint32_t>::max();
        if (is_known_)
            list_.push_back(static_cast<std::uint32_t>(unit));
    }
    // Whatever was written may have moved.
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
