// An Arrow struct with one owner, which releases it once.
#pragma once

#include <utility>

#include "python/core/arrow/abi.hpp"

namespace fingerpost::python::arrow {

// S is one of the three structs. Moving leaves an empty one behind, as the specification requires.
template <class S>
class owned {
  public:
    owned() = default;
    // Takes over the content of `from` and marks `from` as moved.
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

    // For a producer to fill; only while it is empty.
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
