// Lookups by address halves, wrapped so that they can be compared with the oracle.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/fib/halves.hpp"
#include "fingerpost/net/route.hpp"

namespace fingerpost::testing {

// The halves of addresses, in two arrays of exactly the needed length.
struct split_addresses {
    std::vector<std::uint64_t> first;
    std::vector<std::uint64_t> low;

    template <class A>
    explicit split_addresses(std::span<const A> all) : first(all.size()), low(all.size()) {
        std::transform(all.begin(), all.end(), first.begin(), [](A a) { return top64(a); });
        std::transform(all.begin(), all.end(), low.begin(), [](A a) { return bottom64(a); });
    }
};

// `Fib` is any type with lookups by halves: a FIB, a snapshot or an image.
template <class A, class Fib>
struct by_halves {
    const Fib& fib;

    next_hop lookup(A a) const { return alone(*this, a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const {
        const split_addresses split(in);
        fib.lookup_halves(split.first, split.low, out);
    }
    template <class Form>
    static next_hop alone(const Form& form, A a) {
        next_hop out{0xdeadbeefU};
        form.lookup(std::span<const A>(&a, 1), std::span<next_hop>(&out, 1));
        return out;
    }
};
// When the lookup is refused, `out` keeps its initial value, which differs from every right answer.
template <class A, class Fib>
struct by_first64 {
    const Fib& fib;

    next_hop lookup(A a) const { return by_halves<A, Fib>::alone(*this, a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const {
        static_cast<void>(fib.lookup_first64(split_addresses(in).first, out));
    }
};

template <class Routes>
bool any_beyond_64(const Routes& all) {
    return std::any_of(all.begin(), all.end(), [](const auto& r) { return r.where.length > 64; });
}

// Checks that lookups are refused because some route is longer than /64. Returns a description of the fault,
// or an empty string.
template <class Fib>
std::string fault_of_refusal(const Fib& fib) {
    const std::vector<std::uint64_t> first(130, 0x20010db800000000U);
    std::vector<next_hop> out(first.size(), next_hop{7});
    if (fib.answers_first64() || fib.lookup_first64(first, out) != errc::unsupported)
        return "first halves alone are answered, with routes longer than /64";
    if (std::any_of(out.begin(), out.end(), [](next_hop hop) { return hop != next_hop{7}; }))
        return "a refusal has written answers";
    return {};
}

} // namespace fingerpost::testing
