// The addresses at which a table's answers can change, and a random one inside each interval between them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/net/route.hpp"

namespace fingerpost::oracle {

// The MurmurHash3 finalizer over a counter (splitmix64): gives the same numbers on every machine.
class random_numbers {
  public:
    explicit random_numbers(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t x = (state_ += 0x9e3779b97f4a7c15U);
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
        return x ^ (x >> 31);
    }
    // A number from 0 to bound - 1, with a bias below bound / 2^64.
    std::uint64_t below(std::uint64_t bound) { return next() % bound; }
    template <class A>
    A address() {
        const u128 wide = static_cast<u128>(next()) << 64 | next();
        return A{static_cast<typename A::value_type>(wide >> (128 - A::bits))};
    }

  private:
    std::uint64_t state_;
};

// Cuts the address space before the first and after the last address of every prefix, and takes from each
// piece the first two addresses, the last two, and a random one. The result includes address 0, the last
// address, and the first and last address of every prefix and elementary interval, with their neighbours. It
// is sorted without duplicates, with at most five addresses per piece and two pieces per route. Routes may be
// in any order.
template <class A>
std::vector<A> probes(std::span<const route<A>> table, std::uint64_t seed = 1) {
    using value = typename A::value_type;
    std::vector<value> starts{0};
    starts.reserve(2 * table.size() + 1);
    for (const route<A>& r : table) {
        starts.push_back(r.where.first().value);
        if (r.where.last() != A::last())
            starts.push_back(static_cast<value>(r.where.last().value + 1));
    }
    std::sort(starts.begin(), starts.end());
    starts.erase(std::unique(starts.begin(), starts.end()), starts.end());

    random_numbers random(seed);
    std::vector<A> out;
    out.reserve(5 * starts.size());
    const auto add = [&](value a) {
        if (out.empty() || out.back().value < a)
            out.push_back(A{a});
    };
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const value first = starts[i];
        const value last = i + 1 < starts.size() ? static_cast<value>(starts[i + 1] - 1) : A::last().value;
        const value span = last - first;
        add(first);
        if (span >= 1)
            add(first + 1);
        if (span >= 4)
            add(first + 2 + random.address<A>().value % (span - 3));
        if (span >= 2)
            add(last - 1);
        add(last);
    }
    return out;
}

} // namespace fingerpost::oracle
