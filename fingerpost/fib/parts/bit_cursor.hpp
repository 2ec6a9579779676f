// An address that a kernel consumes from the top, a stride at a time, and the forms in which a batch of
// addresses is given to kernels.
//
// Kernels of every instruction set use the cursors, so all of them is always inlined.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/net/address.hpp"
#include "fingerpost/net/next_hop.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/input_form.hpp"

namespace fingerpost {

// An address of up to 64 bits, left-aligned. Bits past the end read as zero.
struct short_cursor {
    std::uint64_t high;
    std::uint64_t rest; // what is to come

    FINGERPOST_INLINE void skip(unsigned count) { rest <<= count; }
    template <unsigned Count>
    FINGERPOST_INLINE unsigned take() {
        const auto taken = static_cast<unsigned>(rest >> (64 - Count));
        rest <<= Count;
        return taken;
    }
};

// The same for up to 128 bits. Hardly any way goes beyond the first word, so that is a branch.
struct long_cursor {
    std::uint64_t high;
    std::uint64_t low;
    unsigned done;

    FINGERPOST_INLINE void skip(unsigned count) { done = count; }
    template <unsigned Count>
    FINGERPOST_INLINE unsigned take() {
        const unsigned from = done;
        done += Count;
        if (from <= 64 - Count) [[likely]]
            return static_cast<unsigned>(high << from >> (64 - Count));
        if (from >= 64)
            return from < 128 ? static_cast<unsigned>(low << (from - 64) >> (64 - Count)) : 0;
        return static_cast<unsigned>((high << from | low >> (64 - from)) >> (64 - Count));
    }
};

// From an address as it lies in a batch: see simd/input_form.hpp.
FINGERPOST_INLINE short_cursor cursor_of(std::uint64_t key) {
    return {key, key};
}
FINGERPOST_INLINE short_cursor cursor_of(std::uint32_t address) {
    return cursor_of(std::uint64_t{address} << 32);
}
FINGERPOST_INLINE long_cursor cursor_of(const address<128>& a) {
    return {static_cast<std::uint64_t>(a.value >> 64), static_cast<std::uint64_t>(a.value), 0};
}

// Calls run(form, addresses, out, count) for a batch of any width up to 64 bits and of 128: addresses that
// are no form of their own are moved to the top of 64 bits, a few at a time.
template <class A, class Run>
void in_input_form(std::span<const A> in, std::span<next_hop> out, Run run) noexcept {
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
                keys[i] = top64(in[done + i]);
            run(input_form::key64, keys.data(), out.data() + done, count);
        }
    }
}

} // namespace fingerpost
