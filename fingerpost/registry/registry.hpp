// All schemes, by name and in order. Tables, images, the benchmark, the program, bindings, and the tests and
// fuzzers of all schemes go through this list instead of naming schemes.
//
// Any thread may call these. Addresses of other widths than 32 and 128 bits, in tests, need collect.hpp.
#pragma once

#include <iosfwd> // std::string, declared only
#include <span>
#include <string_view>
#include <vector>

#include "fingerpost/fib/scheme_entry.hpp"
#include "fingerpost/registry/strides_in_name.hpp"

namespace fingerpost {

// Every scheme of this build that serves addresses of this width; the first is the default.
template <class A>
std::span<const scheme_entry<A>> schemes() noexcept;

// nullptr if no scheme of this name, present or former, serves addresses of this width, or memory ran out. A
// name may tell strides (strides_in_name.hpp); the entry of such a name stays until the program ends.
template <class A>
const scheme_entry<A>* find_scheme(std::string_view name) noexcept;

// Explains why this build does not have a scheme that exists (FINGERPOST_SCHEMES), and how to build it; empty
// for other names. Throws std::bad_alloc.
std::string why_not_built(std::string_view name);

// All of the registry and, behind them, those that these names make by telling strides. Throws
// std::bad_alloc.
template <class A>
std::vector<const scheme_entry<A>*> schemes_and_named(std::span<const std::string> names);

// The project's own choice for users that make none. Its FIBs can be patched and saved.
template <class A>
const scheme_entry<A>& default_scheme() noexcept {
    return schemes<A>().front();
}

// The scheme that the others are compared with.
template <class A>
const scheme_entry<A>& baseline_scheme() noexcept {
    for (const auto& entry : schemes<A>())
        if (entry.facts.role == scheme_role::baseline)
            return entry;
    return default_scheme<A>();
}

} // namespace fingerpost
