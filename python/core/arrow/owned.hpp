// A unique owner of an Arrow struct.
#pragma once

#include <utility>

#include "python/core/arrow/abi.hpp"

namespace fingerpost::python::arrow {

// S is one of the three structs. A moved-from struct is empty, as the specification requires.
template <class S>
class owned {
  public:
    owned() = default;
    // Moves the content out of `from`.
    explicit owned(S& from) noexcept : raw_(from) { from.release = nullptr; }
    owned(owned&& other) noexcept : owned(other.raw_) {}
    owned& operator=(owned&& other) noexcept {
        std::swap(raw_, other.raw_);
        return *this;
    }
    ~owned() {
        if (raw_.release != nullptr)
            raw_.release(&raw_);
    }

    // For a producer to fill. Call it only while the struct is empty.
    S* out() noexcept { return &raw_; }
    S* operator->() noexcept { return &raw_; }
    const S* operator->() const noexcept { return &raw_; }
    const S& operator*() const noexcept { return raw_; }
    S& operator*() noexcept { return raw_; }
    explicit operator bool() const noexcept { return raw_.release != nullptr; }

  private:
    S raw_{};
};

} // namespace fingerpost::python::arrow
