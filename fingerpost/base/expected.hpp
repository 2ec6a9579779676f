// A value or an error code: the return type of every control operation.
//
// C++20 has no std::expected. This is the subset that fingerpost uses: public headers need no dependency, and
// callers can switch to std::expected by changing one alias (docs/why/decisions/0002-expected.md).
#pragma once

#include <cassert>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost {

// Error code of a control operation. Lookups never fail: "no route" is a valid result.
//
// A failed operation leaves its object unchanged. Two operations on a FIB are exceptions, apply() and
// follow() (see fib/scheme.hpp). A table destroys such a FIB, so its users never see it.
enum class errc : std::uint8_t {
    ok = 0,
    out_of_memory, // an allocation failed
    capacity,      // the structure cannot hold this table (too many intervals, next hops or groups)
    unsupported,   // the scheme or machine does not support the operation
    invalid,       // the argument breaks a documented precondition
    not_found,     // no such prefix, match, scheme or instruction set
};

constexpr std::string_view message(errc code) noexcept {
    switch (code) {
    case errc::ok:
        return "ok";
    case errc::out_of_memory:
        return "out of memory";
    case errc::capacity:
        return "the table does not fit this structure";
    case errc::unsupported:
        return "not supported here";
    case errc::invalid:
        return "invalid argument";
    case errc::not_found:
        return "no such prefix, match, scheme or instruction set";
    }
    return "unknown error";
}

template <class E>
struct unexpected {
    E error;
};
template <class E>
unexpected(E) -> unexpected<E>;

template <class T, class E = errc>
class [[nodiscard]] expected {
  public:
    expected(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    // Constructs the value in place.
    template <class... Args>
    explicit expected(std::in_place_t, Args&&... args)
        : state_(std::in_place_index<0>, std::forward<Args>(args)...) {}
    template <class F>
        requires std::constructible_from<E, F>
    expected(unexpected<F> failure) : state_(std::in_place_index<1>, std::move(failure.error)) {}

    bool has_value() const noexcept { return state_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }

    T& operator*() & noexcept { return get(); }
    const T& operator*() const& noexcept { return const_cast<expected*>(this)->get(); }
    T&& operator*() && noexcept { return std::move(get()); }
    T* operator->() noexcept { return &get(); }
    const T* operator->() const noexcept { return &**this; }

    const E& error() const noexcept {
        assert(!has_value());
        return *std::get_if<1>(&state_);
    }

  private:
    T& get() noexcept {
        assert(has_value());
        return *std::get_if<0>(&state_);
    }
    std::variant<T, E> state_;
};

} // namespace fingerpost
