// Forms of the schemes that otherwise only large tables get, as further schemes for the suites and fuzzers
// that walk the registry.
#pragma once

#include <vector>

#include "fingerpost/registry/registry.hpp"

namespace fingerpost::testing {

template <class A>
std::vector<scheme_entry<A>> small_schemes() {
    return {};
}
template <>
std::vector<scheme_entry<ipv4_address>> small_schemes();

// The schemes of the registry and these. Their names are unique.
template <class A>
std::vector<scheme_entry<A>> schemes_and_small_schemes() {
    std::vector<scheme_entry<A>> all(schemes<A>().begin(), schemes<A>().end());
    for (const scheme_entry<A>& form : small_schemes<A>())
        all.push_back(form);
    return all;
}

} // namespace fingerpost::testing
