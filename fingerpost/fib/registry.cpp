// The registry for the two widths that the product serves.
#include "fingerpost/fib/registry_list.hpp"

namespace fingerpost {

static_assert(
    [] {
        for (const auto& entry : detail::scheme_list<ipv6_address>)
            if (entry.facts.name == default_scheme_name)
                return true;
        return false;
    }(),
    "the default scheme is not in the list");

template std::span<const scheme_entry<ipv4_address>> schemes<ipv4_address>() noexcept;
template std::span<const scheme_entry<ipv6_address>> schemes<ipv6_address>() noexcept;

} // namespace fingerpost
