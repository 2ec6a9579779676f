// The timed loops. Each lookup loads its address from the trace and stores its next hop.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/fib/any_fib.hpp"

namespace fingerpost::bench {

// Where a timed loop reads addresses. In applications, packets are in the cache, and columns are in memory.
enum class trace_place : std::uint8_t {
    prefetched, // memory, prefetched by the loop, so that results do not include the wait for the trace
    cache,      // the first cached_addresses of the trace, again and again
    memory,     // memory, without prefetches by the loop
};
inline constexpr std::size_t cached_addresses = std::size_t{1} << 16; // 1 MB for IPv6

// Prefetch distance of the trace, in addresses.
inline constexpr std::size_t asked_ahead = 512;

// Prefetches the cache lines of addresses [first, first + count) to the second-level cache.
template <class Key>
void ask_ahead(std::span<const Key> in, std::size_t first, std::size_t count) noexcept {
    constexpr std::size_t line = 64;
    constexpr int second_level = 2;
    const auto* from = reinterpret_cast<const char*>(in.data() + first);
    for (std::size_t at = 0; at < count * sizeof(Key); at += line)
        __builtin_prefetch(from + at, 0, second_level);
}

// Independent calls of `batch` keys. The last one may be shorter. look(first, count) makes one call or, for
// batch 1, several calls of one key each.
template <class Key, class Look>
void pass_in_calls(std::span<const Key> in, std::size_t batch, bool asks_ahead, Look look) noexcept {
    constexpr std::size_t singles = 16; // whole lines of any array
    for (std::size_t i = 0; i < in.size();) {
        const std::size_t count = std::min(batch == 1 ? singles : batch, in.size() - i);
        if (const std::size_t ahead = i + asked_ahead; asks_ahead && ahead + count <= in.size())
            ask_ahead(in, ahead, count);
        look(i, count);
        i += count;
    }
}

// Batch 1 uses the single lookup.
template <class A>
void throughput_pass(const any_fib<A>& fib, std::span<const A> in, std::span<next_hop> out, std::size_t batch,
                     bool asks_ahead) noexcept {
    pass_in_calls(in, batch, asks_ahead, [&](std::size_t first, std::size_t count) {
        if (batch == 1)
            for (std::size_t i = first; i < first + count; ++i)
                out[i] = fib.lookup(in[i]);
        else
            fib.lookup(in.subspan(first, count), out.subspan(first, count));
    });
}

// Looks up first halves of addresses, and low halves if `low` is not empty. A FIB that does not support this
// leaves `out` unchanged.
template <class A>
void halves_pass(const any_fib<A>& fib, std::span<const std::uint64_t> first,
                 std::span<const std::uint64_t> low, std::span<next_hop> out, std::size_t batch) noexcept {
    const auto call = [&](std::size_t at, std::size_t count) {
        if (low.empty())
            static_cast<void>(fib.lookup_first64(first.subspan(at, count), out.subspan(at, count)));
        else
            fib.lookup_halves(first.subspan(at, count), low.subspan(at, count), out.subspan(at, count));
    };
    pass_in_calls(first, batch, true, [&](std::size_t at, std::size_t count) {
        if (batch == 1)
            for (std::size_t i = at; i < at + count; ++i)
                call(i, 1);
        else
            call(at, count);
    });
}

// `bits` in both halves of a wide address, because many schemes use only the upper half.
template <class A>
constexpr typename A::value_type in_every_half(std::uint32_t bits) noexcept {
    using value = typename A::value_type;
    if constexpr (A::bits > 64)
        return (value{bits} << 64) | bits;
    else
        return static_cast<value>(bits);
}

// Each address depends on the previous answer: it is changed by the bits of that answer that `zero` selects.
// `zero` is 0, but this is unknown at compile time, so the next lookup cannot start before the answer is
// available.
template <class A>
void latency_pass(const any_fib<A>& fib, std::span<const A> in, std::span<next_hop> out,
                  std::uint32_t zero) noexcept {
    next_hop last{0};
    for (std::size_t i = 0; i < in.size(); ++i) {
        A a = in[i];
        a.value ^= in_every_half<A>(last.id & zero);
        last = fib.lookup(a);
        out[i] = last;
    }
}

} // namespace fingerpost::bench
