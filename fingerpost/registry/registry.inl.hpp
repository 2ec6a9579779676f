// Definitions for registry.hpp, for the library and, through collect.hpp, for tests of other widths.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "fingerpost/registry/registry.hpp"
#include "fingerpost/registry/strides_in_name.inl.hpp"

namespace fingerpost {

template <class A>
const scheme_entry<A>* find_scheme(std::string_view name) noexcept {
    for (const auto& entry : schemes<A>())
        if (!name.empty() && (entry.facts.name == name || entry.facts.old_name == name))
            return &entry;
    return scheme_with_strides<A>(schemes<A>(), name);
}

template <class A>
std::vector<const scheme_entry<A>*> schemes_and_named(std::span<const std::string> names) {
    std::vector<const scheme_entry<A>*> all;
    for (const auto& entry : schemes<A>())
        all.push_back(&entry);
    const std::size_t listed = all.size();
    for (const std::string& name : names) {
        const auto* const found = scheme_with_strides<A>(schemes<A>(), name);
        if (found != nullptr &&
            std::find(all.begin() + static_cast<std::ptrdiff_t>(listed), all.end(), found) == all.end())
            all.push_back(found);
    }
    return all;
}

} // namespace fingerpost
