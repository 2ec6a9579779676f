// The entries of each scheme by the name of its folder, for programs that link one scheme and no other:
//
//      auto made = table<ipv4_address>::create(default_scheme_alone<ipv4_address>());
//      auto fib = poptrie::entries<ipv6_address>().front().build(routes, {});
//
// find_scheme(), default_scheme() and tables that are given a name link all schemes, some megabytes.
#pragma once

#include <span>

#include "fingerpost/fib/scheme_entry.hpp"
#include "fingerpost/registry/list.hpp"

// Each scheme's entries.hpp defines this, compiled for 32 and 128 bits: the scheme, then its variants; none
// for widths that it does not serve.
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
