// Arrays aligned to cache lines. Large arrays use huge pages. Failures are returned, not thrown.
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

// Returns zeroed memory, aligned to a cache line or, from half a huge page on, to a huge page (with madvise).
// Returns nullptr if out of memory. `room` more bytes are reserved after it but not touched. Pass the same
// two sizes to free_aligned().
void* allocate_aligned(std::size_t bytes, std::size_t room) noexcept;
void free_aligned(void* memory, std::size_t bytes, std::size_t room) noexcept;

// A zero-initialised, move-only array for data that kernels read. It can grow in place into reserved room.
template <class T>
class aligned_array {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    using value_type = T;

    aligned_array() = default;
    // `room` is address space, which uses memory only after the array is extended into it.
    static expected<aligned_array> make(std::size_t size, std::size_t room = 0) noexcept {
        aligned_array array;
        if (size == 0)
            return array;
        constexpr std::size_t most = static_cast<std::size_t>(-1) / sizeof(T);
        if (size > most || room > most - size)
            return unexpected{errc::out_of_memory};
        array.data_ = static_cast<T*>(allocate_aligned(size * sizeof(T), room * sizeof(T)));
        if (array.data_ == nullptr)
            return unexpected{errc::out_of_memory};
        array.size_ = array.made_size_ = size;
        array.room_ = room;
        return array;
    }
    // Refers to items with another owner, such as a mapped file. They are never written to.
    static aligned_array borrow(std::span<const T> items) noexcept {
        aligned_array array;
        array.data_ = const_cast<T*>(items.data());
        array.size_ = items.size();
        return array;
    }
    bool is_borrowed() const noexcept { return made_size_ == 0; }

    aligned_array(aligned_array&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)),
          room_(std::exchange(other.room_, 0)), made_size_(std::exchange(other.made_size_, 0)) {}
    aligned_array& operator=(aligned_array&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(room_, other.room_);
        std::swap(made_size_, other.made_size_);
        return *this;
    }
    ~aligned_array() {
        if (made_size_ != 0)
            free_aligned(data_, made_size_ * sizeof(T), (size_ + room_ - made_size_) * sizeof(T));
    }
    // New elements are zero. Returns false if the room is too small. Memory of removed elements becomes room.
    bool resize(std::size_t size) noexcept {
        if (size > size_ + room_)
            return false;
        if (size > size_)
            std::memset(static_cast<void*>(data_ + size_), 0, (size - size_) * sizeof(T));
        room_ = size_ + room_ - size;
        size_ = size;
        return true;
    }
    // Like resize(), but never shrinks.
    bool extend(std::size_t size) noexcept { return size <= size_ || resize(size); }
    // Moves the first `count` elements to new memory with this size and room. Returns false, and changes
    // nothing, if out of memory.
    bool move_to(std::size_t size, std::size_t room, std::size_t count) noexcept {
        auto moved = make(size, room);
        if (!moved)
            return false;
        if (count > 0)
            std::memcpy(static_cast<void*>(moved->data_), data_, count * sizeof(T));
        *this = std::move(*moved);
        return true;
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
    std::size_t room_ = 0;
    std::size_t made_size_ = 0; // size at allocation; 0: nothing to free
};

} // namespace fingerpost
