// The loops that are timed: every lookup loads its address from the trace and stores its next hop.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/fib/any_fib.hpp"

namespace fingerpost::bench {

// Independent calls of `batch` addresses each, the last one shorter where they do not come out even; batch 1
// calls the single form.
template <class A>
void throughput_pass(const any_fib<A>& fib, std::span<const A> in, std::span<next_hop> out,
                     std::size_t batch) noexcept {
    if (batch == 1) {
        for (std::size_t i = 0; i < in.size(); ++i)
            out[i] = fib.lookup(in[i]);
        return;
    }
    for (std::size_t i = 0; i < in.size(); i += batch) {
        const std::size_t count = std::min(batch, in.size() - i);
        fib.lookup(in.subspan(i, count), out.subspan(i, count));
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
