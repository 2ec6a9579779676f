// The addresses around one that have the same answer, without the list of all intervals.
#pragma once

#include <cstddef>
#include <utility>

#include "fingerpost/rib/intervals.hpp"

namespace fingerpost::cli {

// `routes`: canonical, in prefix order, each prefix once; read as far as the answer goes.
template <class A, class Routes>
std::pair<A, A> range_of_answer(const Routes& routes, A address) {
    interval_list<A> list;
    detail::interval_sweep<A> sweep(list);
    A first = A::first();
    std::size_t at = 0; // of the interval that has the address, or of the last one, which may still grow
    const auto find = [&] {
        while (at + 1 < list.ends.size() && list.ends[at] < address)
            first = A{static_cast<typename A::value_type>(list.ends[at++].value + 1)};
        return at + 1 < list.ends.size();
    };
    constexpr std::size_t most_passed = 1024;
    for (const route<A>& route : routes) {
        sweep.add(route);
        if (find())
            return {first, list.ends[at]};
        if (at > most_passed) {
            const auto passed = static_cast<std::ptrdiff_t>(std::exchange(at, 0));
            list.ends.erase(list.ends.begin(), list.ends.begin() + passed);
            list.hops.erase(list.hops.begin(), list.hops.begin() + passed);
        }
    }
    sweep.finish();
    find();
    return {first, list.ends[at]};
}

} // namespace fingerpost::cli
