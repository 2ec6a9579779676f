// How a table finds its scheme by name. This definition is in a separate file, because it links the registry
// and therefore all schemes.
#pragma once

#include "fingerpost/registry/registry.hpp"
#include "fingerpost/table/table.inl.hpp"

namespace fingerpost {

template <class... A>
expected<table<A...>> table<A...>::create(const table_options& options) noexcept {
    const std::string_view name = options.scheme;
    if (!name.empty() && ((find_scheme<A>(name) == nullptr) && ...))
        return unexpected{errc::not_found};
    const auto scheme_of = [name]<class F>(F) -> const scheme_entry<F>& {
        const scheme_entry<F>* const named = name.empty() ? nullptr : find_scheme<F>(name);
        return named == nullptr ? default_scheme<F>() : *named;
    };
    return create(scheme_of(A{})..., options);
}

} // namespace fingerpost
