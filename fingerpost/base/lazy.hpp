// A value that is computed at its first use, with any number of threads.
#pragma once

#include <utility>

#include "fingerpost/base/atomic_word.hpp"
#include "fingerpost/base/owner.hpp"

namespace fingerpost {

// Any number of threads may call get(). Concurrent first calls may each compute the value; all return the one
// that was stored first.
template <class T>
class lazy {
  public:
    lazy() = default;
    // A copy computes the value again.
    lazy(const lazy&) noexcept {}
    lazy(lazy&& other) noexcept : stored_(other.take()) {}
    lazy& operator=(lazy other) noexcept {
        const T* const mine = take();
        stored_.store_relaxed(other.take());
        delete mine;
        return *this;
    }
    ~lazy() { delete take(); }

    // Throws std::bad_alloc and the exceptions of make().
    template <class Make>
    const T& get(Make make) const {
        const T* known = stored_.load_acquire();
        if (known != nullptr)
            return *known;
        owner<const T> value(new T(make()));
        return stored_.replace(known, value.get()) ? *value.release() : *known;
    }

  private:
    const T* take() noexcept { return stored_.exchange_acquire(nullptr); }

    mutable atomic_word<const T*> stored_{nullptr};
};

} // namespace fingerpost
