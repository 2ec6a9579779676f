// The loops that are timed: every lookup loads its address from the trace and stores its next hop.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/fib/any_fib.hpp"

namespace fingerpost::bench {

// How far ahead of the lookups the lines of the trace are asked for, in addresses. Packets and columns come
// from somewhere too, but how is not what is measured: without this a part of every number, and most of its
// spread, is the wait for a trace that lies in memory.
inline constexpr std::size_t asked_ahead = 512;

// Asks for the lines that hold the addresses [first, first + count), as far as the second-level cache.
template <class A>
void ask_ahead(std::span<const A> in, std::size_t first, std::size_t count) noexcept {
    constexpr std::size_t line = 64;
    constexpr int second_level = 2;
    const auto* from = reinterpret_cast<const char*>(in.data() + first);
    for (std::size_t at = 0; at < count * sizeof(A); at += line)
        __builtin_prefetch(from + at, 0, second_level);
}

// Independent calls of `batch` addresses each, the last one shorter where they do not come out even; batch 1
// calls the single form.
template <class A>
void throughput_pass(const any_fib<A>& fib, std::span<const A> in, std::span<next_hop> out,
                     std::size_t batch) noexcept {
    constexpr std::size_t singles = 16; // whole lines of any array
    for (std::size_t i = 0; i < in.size();) {
        const std::size_t count = std::min(batch == 1 ? singles : batch, in.size() - i);
        if (const std::size_t ahead = i + asked_ahead; ahead + count <= in.size())
            ask_ahead(in, ahead, count);
        if (batch == 1)
            for (std::size_t k = i; k < i + count; ++k)
                out[k] = fib.lookup(in[k]);
        else
            fib.lookup(in.subspan(i, count), out.subspan(i, count));
        i += count;
    }
}

// `bits` in both halves of a wide address, as many schemes only look at the upper one.
template <class A>
constexpr typename A::value_type in_every_half(std::uint32_t bits) noexcept {
    using value = typename A::value_type;
    if constexpr (A::bits > 64)
        return (value{bits} << 64) | bits;
    else
        return static_cast<value>(bits);
}

// Each address depends on the last answer: it is changed by the bits of that answer that `zero` lets through.
// `zero` is 0, but only at run time, so neither compiler nor processor can start before the answer is there.
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
