// A number or pointer that threads share: the subset of std::atomic that lookups need inline.
//
// C++20's <atomic> also supports waiting, so it includes more headers than all of fingerpost.hpp. Code
// compiled into the library uses std::atomic. Member names state the memory order. Without one, it is
// sequentially consistent.
#pragma once

#include <type_traits>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost {

// Load a word of up to 8 bytes that another thread may write to. Unlike std::atomic_ref, they accept constant
// words and compile for a GPU, where nothing writes to a FIB.
template <int Order, class T>
T load_shared(const T& word) noexcept {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(void*));
#ifdef __CUDA_ARCH__
    return word;
#else
    T value;
    __atomic_load(&word, &value, Order);
    return value;
#endif
}
template <class T>
T load_acquire(const T& word) noexcept {
    return load_shared<__ATOMIC_ACQUIRE>(word);
}
template <class T>
T load_relaxed(const T& word) noexcept {
    return load_shared<__ATOMIC_RELAXED>(word);
}

template <class T>
class atomic_word {
    static_assert((std::is_integral_v<T> || std::is_pointer_v<T>)&&sizeof(T) <= sizeof(void*));

  public:
    constexpr explicit atomic_word(T value) noexcept : value_(value) {}
    atomic_word(const atomic_word&) = delete;
    atomic_word& operator=(const atomic_word&) = delete;

    T load() const noexcept { return __atomic_load_n(&value_, __ATOMIC_SEQ_CST); }
    T load_acquire() const noexcept { return __atomic_load_n(&value_, __ATOMIC_ACQUIRE); }
    T load_relaxed() const noexcept { return __atomic_load_n(&value_, __ATOMIC_RELAXED); }
    void store(T value) noexcept { __atomic_store_n(&value_, value, __ATOMIC_SEQ_CST); }
    void store_release(T value) noexcept { __atomic_store_n(&value_, value, __ATOMIC_RELEASE); }
    void store_relaxed(T value) noexcept { __atomic_store_n(&value_, value, __ATOMIC_RELAXED); }
    // Returns the previous value.
    T exchange_acquire(T value) noexcept { return __atomic_exchange_n(&value_, value, __ATOMIC_ACQUIRE); }
    // Stores the new value and returns true if the current one equals `known`; otherwise sets `known` to the
    // current value.
    bool replace(T& known, T value) noexcept {
        return __atomic_compare_exchange_n(&value_, &known, value, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    }

  private:
    T value_;
};

} // namespace fingerpost
