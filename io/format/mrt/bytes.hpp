// Reads numbers and addresses in network byte order, and never past the end of the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "fingerpost/net/address.hpp"

namespace fingerpost::io::mrt {

using bytes = std::span<const std::byte>;

// Loads a number of two to eight bytes, most significant byte first.
template <class T>
T load(const std::byte* at) noexcept {
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
        value = static_cast<T>(static_cast<T>(value << 8) | static_cast<T>(at[i]));
    return value;
}

// Reading past the end returns zeros; then ok() is false. So a decoder can check once at the end.
class byte_reader {
  public:
    explicit byte_reader(bytes input) noexcept : at_(input.data()), end_(input.data() + input.size()) {}

    std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }
    bool ok() const noexcept { return ok_; }
    bytes rest() const noexcept { return {at_, left()}; }

    std::uint8_t u8() noexcept { return number<std::uint8_t>(); }
    std::uint16_t u16() noexcept { return number<std::uint16_t>(); }
    std::uint32_t u32() noexcept { return number<std::uint32_t>(); }

    void skip(std::size_t count) noexcept { take(count); }
    // Returns an empty span if fewer bytes are left.
    bytes take(std::size_t count) noexcept {
        if (!has(count))
            return {};
        const std::byte* const start = at_;
        at_ += count;
        return {start, count};
    }

    template <class A>
    A address() noexcept {
        if (!has(A::bits / 8))
            return {};
        const std::byte* const start = at_;
        at_ += A::bits / 8;
        if constexpr (A::bits == 32)
            return {load<std::uint32_t>(start)};
        else
            return {u128{load<std::uint64_t>(start)} << 64 | load<std::uint64_t>(start + 8)};
    }

  private:
    bool has(std::size_t count) noexcept {
        if (count <= left())
            return true;
        at_ = end_;
        ok_ = false;
        return false;
    }
    template <class T>
    T number() noexcept {
        if (!has(sizeof(T)))
            return 0;
        const std::byte* const start = at_;
        at_ += sizeof(T);
        return load<T>(start);
    }

    const std::byte* at_;
    const std::byte* end_;
    bool ok_ = true;
};

} // namespace fingerpost::io::mrt
