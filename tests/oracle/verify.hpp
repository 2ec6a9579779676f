// Compares a FIB with known answers, by single lookups and by batches of every awkward size.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "fingerpost/net/next_hop.hpp"

namespace fingerpost::oracle {

// The first address with a wrong answer. `batch` is the length of its batch, 0 for a single lookup.
template <class A>
struct difference {
    A address{};
    next_hop expected = next_hop::none;
    next_hop got = next_hop::none;
    std::size_t batch = 0;
};

// The answers of the oracle O (anything with lookup(A)) for each address.
template <class A, class O>
std::vector<next_hop> answers(const O& oracle, std::span<const A> addresses) {
    std::vector<next_hop> out(addresses.size());
    for (std::size_t i = 0; i < addresses.size(); ++i)
        out[i] = oracle.lookup(addresses[i]);
    return out;
}

// Sizes one below and above the number that kernels take at once, the empty batch, and one that is many times
// any of them.
inline constexpr std::array<std::size_t, 22> batch_sizes{1,  7, 8, 15, 16, 17, 31,  32,  33,   63, 64,
                                                         65, 2, 3, 4,  5,  9,  127, 129, 1000, 0,  4096};

// Runs every address through both forms of `fib`'s lookup. `checked`, when given, grows by the number of
// Runs every address through both forms of `fib`'s lookup. Adds the number of answers compared to `checked`
// unless it is null. A batch lookup that writes past its end is reported at the last address of the batch.
template <class A, class F>
std::optional<difference<A>> verify(const F& fib, std::span<const A> addresses,
                                    std::span<const next_hop> expected, std::size_t* checked = nullptr) {
    std::size_t ignored = 0;
    std::size_t& count = checked != nullptr ? *checked : ignored;
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        const next_hop got = fib.lookup(addresses[i]);
        if (got != expected[i])
            return difference<A>{addresses[i], expected[i], got, 0};
    }
    count += addresses.size();

    // This next hop is not an answer of any scheme. If it remains, an answer was not written; if it has
    // changed after the end of the batch, the lookup wrote out of bounds.
    constexpr next_hop untouched{0xdeadbeefU};
    std::vector<next_hop> out(*std::max_element(batch_sizes.begin(), batch_sizes.end()) + 1);
    for (std::size_t at = 0, turn = 0; at < addresses.size(); ++turn) {
        const std::size_t size = std::min(batch_sizes[turn % batch_sizes.size()], addresses.size() - at);
        std::fill_n(out.begin(), size + 1, untouched);
        fib.lookup(addresses.subspan(at, size), std::span<next_hop>(out).first(size));
        for (std::size_t i = 0; i < size; ++i)
            if (out[i] != expected[at + i])
                return difference<A>{addresses[at + i], expected[at + i], out[i], size};
        if (out[size] != untouched)
            return difference<A>{addresses[at], untouched, out[size], size};
        at += size;
    }
    count += addresses.size();
    return std::nullopt;
}

template <class A, class F, class O>
std::optional<difference<A>> verify(const F& fib, const O& oracle, std::span<const A> addresses,
                                    std::size_t* checked = nullptr) {
    const std::vector<next_hop> expected = answers<A>(oracle, addresses);
    return verify<A>(fib, addresses, std::span<const next_hop>(expected), checked);
}

} // namespace fingerpost::oracle
