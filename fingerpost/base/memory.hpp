// Cache-line aligned arrays that ask for huge pages once they are large, and report failure instead of
// throwing.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include "fingerpost/base/expected.hpp"

namespace fingerpost {

inline constexpr std::size_t cache_line_bytes = 64;
inline constexpr std::size_t huge_page_bytes = std::size_t{1} << 21;

// Zeroed memory aligned to a cache line, or to a huge page (with madvise) from half a huge page on; nullptr
// when there is none. Give it back with the same size.
void* allocate_aligned(std::size_t bytes) noexcept;
void free_aligned(void* memory, std::size_t bytes) noexcept;

// A fixed-size, zero-initialised, move-only array for data that kernels read.
template <class T>
class aligned_array {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    aligned_array() = default;
    static expected<aligned_array> make(std::size_t size) noexcept {
        aligned_array array;
        if (size == 0)
            return array;
        if (size > static_cast<std::size_t>(-1) / sizeof(T))
            return unexpected{errc::out_of_memory};
        array.data_ = static_cast<T*>(allocate_aligned(size * sizeof(T)));
        if (array.data_ == nullptr)
            return unexpected{errc::out_of_memory};
        array.size_ = size;
        return array;
    }
    aligned_array(aligned_array&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    aligned_array& operator=(aligned_array&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~aligned_array() {
        if (data_ != nullptr)
            free_aligned(data_, size_ * sizeof(T));
    }

    T* data() noexcept { return data_; }
    const T* data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    std::size_t memory_bytes() const noexcept { return size_ * sizeof(T); }
    T& operator[](std::size_t i) noexcept { return data_[i]; }
    const T& operator[](std::size_t i) const noexcept { return data_[i]; }
    std::span<T> span() noexcept { return {data_, size_}; }
    std::span<const T> span() const noexcept { return {data_, size_}; }
    T* begin() noexcept { return data_; }
    T* end() noexcept { return data_ + size_; }

  private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace fingerpost
