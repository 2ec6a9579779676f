// A pointer that owns its object: the subset of std::unique_ptr that fingerpost uses.
//
// std::unique_ptr is in <memory>, which includes about 100 headers, such as streams and locales, into each
// user of a table or a FIB.
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost {

// Move-only. T may be incomplete where nothing is destroyed.
template <class T>
class owner {
  public:
    constexpr owner() noexcept = default;
    constexpr owner(std::nullptr_t) noexcept {}
    // Takes ownership of an object created by new.
    explicit constexpr owner(T* object) noexcept : owned_(object) {}
    constexpr owner(owner&& other) noexcept : owned_(other.release()) {}
    template <class U>
        requires std::convertible_to<U*, T*>
    constexpr owner(owner<U>&& other) noexcept : owned_(other.release()) {}
    owner& operator=(owner other) noexcept {
        std::swap(owned_, other.owned_);
        return *this;
    }
    ~owner() { delete owned_; }

    T* get() const noexcept { return owned_; }
    T& operator*() const noexcept { return *owned_; }
    T* operator->() const noexcept { return owned_; }
    explicit operator bool() const noexcept { return owned_ != nullptr; }
    friend bool operator==(const owner& o, std::nullptr_t) noexcept { return o.owned_ == nullptr; }

    // The caller must delete the object.
    [[nodiscard]] constexpr T* release() noexcept { return std::exchange(owned_, nullptr); }
    void reset() noexcept { *this = owner(); }

  private:
    T* owned_ = nullptr;
};

} // namespace fingerpost
