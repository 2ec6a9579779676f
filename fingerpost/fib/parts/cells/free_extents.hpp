// The free parts of an array that is allocated in pieces.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::cells {

// Free parts as pairs of offset and size, ascending and not adjacent.
class free_extents {
  public:
    // Allocates from the smallest part that is large enough. Returns false if there is none.
    bool take(std::size_t size, std::size_t& offset) noexcept {
        std::size_t best = parts_.size();
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            if (parts_[i].size < size || (best < parts_.size() && parts_[i].size >= parts_[best].size))
                continue;
            best = i;
            if (parts_[i].size == size)
                break;
        }
        if (best == parts_.size())
            return false;
        part& from = parts_[best];
        offset = from.offset;
        total_ -= size;
        from.offset += size;
        from.size -= size;
        if (from.size == 0)
            parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(best));
        return true;
    }
    void give(std::size_t offset, std::size_t size) {
        auto next = std::lower_bound(parts_.begin(), parts_.end(), offset,
                                     [](const part& p, std::size_t at) { return p.offset < at; });
        const bool after =
            next != parts_.begin() && std::prev(next)->offset + std::prev(next)->size == offset;
        const bool before = next != parts_.end() && offset + size == next->offset;
        total_ += size;
        if (after && before) {
            std::prev(next)->size += size + next->size;
            parts_.erase(next);
        } else if (after) {
            std::prev(next)->size += size;
        } else if (before) {
            next->offset = offset;
            next->size += size;
        } else {
            parts_.insert(next, {offset, size});
        }
    }
    std::size_t total() const noexcept { return total_; }

  private:
    struct part {
        std::size_t offset;
        std::size_t size;
    };

    std::vector<part> parts_;
    std::size_t total_ = 0;
};

} // namespace fingerpost::cells
