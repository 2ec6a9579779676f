// A value that is computed at its first use, also if several threads use it at once.
#pragma once

#include <utility>

#include "fingerpost/base/atomic_word.hpp"
#include "fingerpost/base/owner.hpp"

namespace fingerpost {

// Any number of threads may call get(). Those that come at the same time may each compute the value; all get
// the one that was stored first.
template <class T>
class lazy {
  public:
    lazy() = default;
    // A copy computes its own.
    lazy(const lazy&) noexcept {}
    lazy(lazy&& other) noexcept : stored_(other.take()) {}
    lazy& operator=(lazy other) noexcept {
        const T* const mine = take();
        stored_.store_relaxed(other.take());
        delete mine;
        return *this;
    }
    ~lazy() { delete take(); }

    // Throws what make() throws, and std::bad_alloc.
    template <class Make>
    const T& get(Make make) const {
        const T* known = stored_.load_acquire();
        if (known != nullptr)
            return *known;
        owner<const T> made(new T(make()));
        return stored_.replace(known, made.get()) ? *made.release() : *known;
    }

  private:
    const T* take() noexcept { return stored_.exchange_acquire(nullptr); }

    mutable atomic_word<const T*> stored_{nullptr};
};

} // namespace fingerpost
