// A vector with inline storage, for the few items that a hot path handles at a time.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost {

// The subset of std::vector that is needed, for trivial types. Holds at most `Most` items.
template <class T, std::size_t Most>
class inline_vector {
  public:
    using value_type = T;

    std::size_t size() const noexcept { return size_; }
    void clear() noexcept { size_ = 0; }
    void push_back(T item) noexcept {
        assert(size_ < Most);
        items_[size_++] = item;
    }
    // New items are uninitialised.
    void resize(std::size_t size) noexcept {
        assert(size <= Most);
        size_ = size;
    }
    T& operator[](std::size_t i) noexcept { return items_[i]; }
    const T& operator[](std::size_t i) const noexcept { return items_[i]; }
    const T& back() const noexcept { return items_[size_ - 1]; }
    T* data() noexcept { return items_.data(); }
    const T* data() const noexcept { return items_.data(); }
    T* begin() noexcept { return data(); }
    T* end() noexcept { return data() + size_; }
    const T* begin() const noexcept { return data(); }
    const T* end() const noexcept { return data() + size_; }

  private:
    std::array<T, Most> items_;
    std::size_t size_ = 0;
};

} // namespace fingerpost
