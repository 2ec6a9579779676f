// Bytes that grow at their end. Readers can share ownership of the bytes that they have seen.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost {

// Appending never changes bytes that exist. When memory is full, they move, and the owners of the old memory
// keep it. So threads may read shared bytes while another thread appends.
class shared_bytes {
  public:
    shared_bytes() = default;
    shared_bytes(const shared_bytes& other) { append(other.view()); }
    shared_bytes(shared_bytes&& other) noexcept { swap(other); }
    shared_bytes& operator=(shared_bytes other) noexcept {
        swap(other);
        return *this;
    }
    ~shared_bytes() = default;

    std::size_t size() const noexcept { return size_; }
    // Its pointer is never null.
    std::string_view view() const noexcept { return {memory_ ? memory_.get() : "", size_}; }
    // Keeps the current bytes, at the address of view(). Null if there are none.
    std::shared_ptr<const char[]> share() const noexcept { return memory_; }

    // `text` may be a part of these bytes. Throws std::bad_alloc.
    void append(std::string_view text) {
        std::shared_ptr<char[]> before;
        if (text.size() > capacity_ - size_) {
            const std::size_t capacity = std::max(size_ + text.size(), 2 * capacity_);
            before = std::make_shared_for_overwrite<char[]>(capacity);
            std::copy_n(memory_.get(), size_, before.get());
            memory_.swap(before);
            capacity_ = capacity;
        }
        std::copy_n(text.data(), text.size(), memory_.get() + size_);
        size_ += text.size();
    }
    // Removes bytes that were appended last and have not been shared.
    void shrink(std::size_t size) noexcept { size_ = size; }

  private:
    void swap(shared_bytes& other) noexcept {
        memory_.swap(other.memory_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

    std::shared_ptr<char[]> memory_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

} // namespace fingerpost
