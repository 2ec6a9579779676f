// Reads the bits of an address from the top, several at a time, as multibit tries do, and converts batches of
// addresses to the forms that kernels accept.
//
// Kernels of every instruction set use the cursors, so all functions are inlined.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "fingerpost/net/address.hpp"
#include "fingerpost/net/next_hop.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/input_form.hpp"

namespace fingerpost {

// For left-aligned addresses of up to 64 bits. Bits past the end read as zero.
struct short_cursor {
    std::uint64_t high = 0;
    std::uint64_t rest = 0; // bits not read yet

    // Bits not read yet, left aligned. skip(count) drops 0 to 63 of them.
    FINGERPOST_INLINE constexpr std::uint64_t next() const { return rest; }
    FINGERPOST_INLINE constexpr void skip(unsigned count) { rest <<= count; }
    // `count` is from 1 to 63.
    FINGERPOST_INLINE constexpr std::uint64_t take(unsigned count) {
        const std::uint64_t bits = rest >> (64 - count);
        rest <<= count;
        return bits;
    }
    template <unsigned Count>
    FINGERPOST_INLINE constexpr unsigned take() {
        return static_cast<unsigned>(take(Count));
    }
};

// For addresses of up to 128 bits. Few walks read the second word, so there is a branch for it.
struct long_cursor {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    unsigned done = 0;

    // The next 64 bits.
    FINGERPOST_INLINE constexpr std::uint64_t next() const {
        if (done >= 64)
            return done < 128 ? low << (done - 64) : 0;
        return high << done | low >> 1 >> (63 - done);
    }
    FINGERPOST_INLINE constexpr void skip(unsigned count) { done += count; }
    FINGERPOST_INLINE constexpr std::uint64_t take(unsigned count) {
        const unsigned from = done;
        done += count;
        if (done <= 64) [[likely]]
            return high << from >> (64 - count);
        if (from >= 64)
            return from < 128 ? low << (from - 64) >> (64 - count) : 0;
        return (high << from | low >> (64 - from)) >> (64 - count);
    }
    template <unsigned Count>
    FINGERPOST_INLINE constexpr unsigned take() {
        return static_cast<unsigned>(take(Count));
    }
};

template <class A>
using cursor_for = std::conditional_t<(A::bits > 64), long_cursor, short_cursor>;

template <unsigned Bits>
FINGERPOST_INLINE constexpr cursor_for<address<Bits>> cursor_of(address<Bits> a) {
    if constexpr (Bits > 64)
        return {top64(a), bottom64(a), 0};
    else
        return {top64(a), top64(a)};
}
// Cursor over an address in a batch; see simd/input_form.hpp.
FINGERPOST_INLINE constexpr short_cursor cursor_of(std::uint64_t key) {
    return {key, key};
}
FINGERPOST_INLINE constexpr short_cursor cursor_of(std::uint32_t address) {
    return cursor_of(std::uint64_t{address} << 32);
}

// Default conversion to 64-bit words.
struct to_top {
    template <class A>
    std::uint64_t operator()(A a) const noexcept {
        return top64(a);
    }
};

// Calls run(form, addresses, out, count) for a batch of addresses of up to 64 bits, or of 128 bits. Widths
// without an input form are converted to 64-bit words by key_of(address), a few addresses at a time.
template <class A, class Run, class KeyOf = to_top>
void in_input_form(std::span<const A> in, std::span<next_hop> out, Run run, KeyOf key_of = {}) noexcept {
    static_assert(A::bits <= 64 || A::bits == 128);
    using simd::input_form;
    if constexpr (A::bits == 128) {
        run(input_form::ipv6, in.data(), out.data(), in.size());
    } else if constexpr (A::bits == 32) {
        run(input_form::ipv4, in.data(), out.data(), in.size());
    } else {
        std::array<std::uint64_t, 64> keys;
        for (std::size_t done = 0; done < in.size(); done += keys.size()) {
            const std::size_t count = std::min(keys.size(), in.size() - done);
            for (std::size_t i = 0; i < count; ++i)
                keys[i] = key_of(in[done + i]);
            run(input_form::key64, keys.data(), out.data() + done, count);
        }
    }
}

} // namespace fingerpost
