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
    std::vector<const scheme_entry<A>*> result;
    for (const auto& entry : schemes<A>())
        result.push_back(&entry);
    const std::size_t listed = result.size();
    for (const std::string& name : names) {
        const auto* const entry = scheme_with_strides<A>(schemes<A>(), name);
        if (entry != nullptr && std::find(result.begin() + static_cast<std::ptrdiff_t>(listed), result.end(),
                                          entry) == result.end())
            result.push_back(entry);
    }
    return result;
}

} // namespace fingerpost
