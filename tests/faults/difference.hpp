// Compares a live table with the expected routes.
#pragma once

#include <span>
#include <string>

#include "tests/oracle/by_parent.hpp"
#include "tests/support/live.hpp"
#include "tests/support/tables/tables.hpp"

namespace fingerpost::testing {

// Returns a difference for the RIB or for readers, or an empty string. The routes must be in prefix order.
template <class A, class Live, class Reader>
std::string difference(const Live& live, Reader& by, const table<A>& right) {
    if (live.template of<A>().copy_routes() != right)
        return "the RIB has other routes";
    const oracle::by_parent<A> truth{std::span<const route<A>>(right)};
    const auto now = by.pin();
    for (const A a : oracle::probes<A>(std::span<const route<A>>(right)))
        if (now.lookup(a) != truth.lookup(a))
            return "readers see " + text_of(now.lookup(a)) + " at " + text_of(a);
    return {};
}

} // namespace fingerpost::testing
