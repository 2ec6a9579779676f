// All schemes, by name and in order. Tables, images, benchmarks, programs, bindings, tests and fuzzers use
// this list instead of naming schemes.
//
// Any thread may call these functions. Tests with address widths other than 32 and 128 need collect.hpp.
#pragma once

#include <iosfwd> // declares std::string
#include <span>
#include <string_view>
#include <vector>

#include "fingerpost/fib/scheme_entry.hpp"
#include "fingerpost/registry/strides_in_name.hpp"

namespace fingerpost {

// All schemes of this build that support addresses of this width. The first is the default.
template <class A>
std::span<const scheme_entry<A>> schemes() noexcept;

// Returns nullptr if no scheme with this current or former name supports addresses of this width, or if out
// of memory. A name may contain strides (strides_in_name.hpp); the entry for such a name exists until the
// program ends.
template <class A>
const scheme_entry<A>* find_scheme(std::string_view name) noexcept;

// Explains why this build does not contain an existing scheme (FINGERPOST_SCHEMES), and how to build it.
// Returns an empty text for other names. Throws std::bad_alloc.
std::string why_not_built(std::string_view name);

// The whole registry, followed by entries for those of `names` that contain strides. Throws std::bad_alloc.
template <class A>
std::vector<const scheme_entry<A>*> schemes_and_named(std::span<const std::string> names);

// The default for users who choose no scheme. Its FIBs can be patched and saved.
template <class A>
const scheme_entry<A>& default_scheme() noexcept {
    return schemes<A>().front();
}

// The scheme that all others are compared with.
template <class A>
const scheme_entry<A>& baseline_scheme() noexcept {
    for (const auto& entry : schemes<A>())
        if (entry.facts.role == scheme_role::baseline)
            return entry;
    return default_scheme<A>();
}

} // namespace fingerpost
