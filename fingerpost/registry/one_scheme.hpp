// The entries of each scheme by the name of its folder, for programs that link only one scheme:
//
//      auto table = fingerpost::table<ipv4_address>::create(default_scheme_alone<ipv4_address>());
//      auto fib = poptrie::entries<ipv6_address>().front().build(routes, {});
//
// find_scheme(), default_scheme() and tables with a scheme name link all schemes, which are some megabytes.
#pragma once

#include <span>

#include "fingerpost/fib/scheme_entry.hpp"
#include "fingerpost/registry/list.hpp"

// Defined in each scheme's entries.hpp and compiled for 32 and 128 bits: the scheme, then its variants, or
// nothing for an unsupported width.
#define FINGERPOST_DECLARE(name)                                                                             \
    namespace name {                                                                                         \
    template <class A>                                                                                       \
    std::span<const scheme_entry<A>> entries() noexcept;                                                     \
    }
namespace fingerpost {
FINGERPOST_FOR_EACH_SCHEME(FINGERPOST_DECLARE)
}
#undef FINGERPOST_DECLARE

namespace fingerpost {

// The scheme that default_scheme() returns, the first one of list.hpp, for 32 and 128 bits.
template <class A>
const scheme_entry<A>& default_scheme_alone() noexcept {
    return packed_leaves::entries<A>().front();
}

} // namespace fingerpost
