// All schemes, by name and in order. Tables, images, benchmark, command line, bindings, and the tests and
// fuzzers of all schemes walk this list instead of naming schemes.
#pragma once

#include <span>
#include <string_view>

#include "fingerpost/fib/scheme_entry.hpp"

namespace fingerpost {

// Every scheme that serves addresses of this width. Instantiated for 32 and 128 bits in the library; tests of
// other widths include collect.hpp.
template <class A>
std::span<const scheme_entry<A>> schemes() noexcept;

// nullptr when no scheme of this name, present or former, serves addresses of this width.
template <class A>
const scheme_entry<A>* find_scheme(std::string_view name) noexcept {
    for (const auto& entry : schemes<A>())
        if (!name.empty() && (entry.facts.name == name || entry.facts.old_name == name))
            return &entry;
    return nullptr;
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
