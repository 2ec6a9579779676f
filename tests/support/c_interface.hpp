// Conversions from the types of the C++ tests to those of fingerpost.h.
#pragma once

#include <vector>

#include "capi/fingerpost.h"
#include "capi/handles.hpp"
#include "tests/support/tables/tables.hpp"

namespace fingerpost::testing {

template <class A>
constexpr int family = A::bits == 32 ? FINGERPOST_IPV4 : FINGERPOST_IPV6;

using c_routes = std::vector<fingerpost_route>;

template <class A>
c_routes in_c(const table<A>& all) {
    c_routes made;
    for (const route<A>& r : all)
        made.push_back(capi::c_route(r));
    return made;
}

} // namespace fingerpost::testing
