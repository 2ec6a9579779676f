// How a table finds its scheme by name. This body stands apart from the others, because it alone links the
// registry, and with it all schemes.
#pragma once

#include "fingerpost/registry/registry.hpp"
#include "fingerpost/table/table.inl.hpp"

namespace fingerpost {

template <class A>
expected<table<A>> table<A>::create(const table_options& options) noexcept {
    const scheme_entry<A>* const scheme =
        options.scheme.empty() ? &default_scheme<A>() : find_scheme<A>(options.scheme);
    if (scheme == nullptr)
        return unexpected{errc::not_found};
    return create(*scheme, options);
}

} // namespace fingerpost
