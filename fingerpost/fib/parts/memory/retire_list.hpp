// Numbers of nodes or groups that readers may still use in a FIB patched in place. Each number is kept until
// the readers of its version have left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fingerpost/base/expected.hpp"

namespace fingerpost {

// First in, first out, because versions only increase. A ring of fixed size: nothing can fail while there is
// room().
class retire_list {
  public:
    // Makes room for `most` numbers. Throws std::bad_alloc.
    void reserve(std::size_t most) { ring_.resize(most); }
    std::size_t room() const noexcept { return ring_.size() - count_; }
    std::size_t memory_bytes() const noexcept { return ring_.capacity() * sizeof(entry); }

    void push(std::uint32_t number, std::uint64_t version) noexcept {
        ring_[(first_ + count_++) % ring_.size()] = {version, number};
    }
    // Calls release(number) for each number that no reader of `version` or later can reach.
    template <class Release>
    void release_before(std::uint64_t version, Release release) noexcept {
        while (count_ > 0 && ring_[first_].version < version) {
            release(ring_[first_].number);
            first_ = (first_ + 1) % ring_.size();
            --count_;
        }
    }

  private:
    struct entry {
        std::uint64_t version = 0;
        std::uint32_t number = 0;
    };
    std::vector<entry> ring_;
    std::size_t first_ = 0;
    std::size_t count_ = 0;
};

} // namespace fingerpost
