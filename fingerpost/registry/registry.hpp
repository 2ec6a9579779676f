// All schemes, by name and in order. Tables, images, benchmark, command line, bindings, and the tests and
// fuzzers of all schemes walk this list instead of naming schemes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/fib/scheme_entry.hpp"
#include "fingerpost/registry/strides_in_name.hpp"

namespace fingerpost {

// Every scheme that serves addresses of this width. Instantiated for 32 and 128 bits in the library; tests of
// other widths include collect.hpp.
template <class A>
std::span<const scheme_entry<A>> schemes() noexcept;

// nullptr when no scheme of this name, present or former, serves addresses of this width. A name may tell
// strides (strides_in_name.hpp); the entry of such a name stays until the program ends.
template <class A>
const scheme_entry<A>* find_scheme(std::string_view name) noexcept {
    for (const auto& entry : schemes<A>())
        if (!name.empty() && (entry.facts.name == name || entry.facts.old_name == name))
            return &entry;
    return scheme_with_strides<A>(schemes<A>(), name);
}

// All of the registry and, behind them, those that these names make by telling strides. Throws
// std::bad_alloc.
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

// The project's own choice where the user makes none. Its FIBs can be patched and saved.
template <class A>
const scheme_entry<A>& default_scheme() noexcept {
    return schemes<A>().front();
}

// What the others are compared with.
template <class A>
const scheme_entry<A>& baseline_scheme() noexcept {
    for (const auto& entry : schemes<A>())
        if (entry.facts.role == scheme_role::baseline)
            return entry;
    return default_scheme<A>();
}

} // namespace fingerpost
