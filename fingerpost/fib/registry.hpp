// The list of schemes. Benchmark, command line, bindings, and tests and fuzzers of all schemes walk it
// instead of naming schemes.
#pragma once

#include <span>
#include <string_view>

#include "fingerpost/fib/any_fib.hpp"

namespace fingerpost {

// What is known of a scheme without building it. Program, README and tables take these words; the bound of
// every number, with what enforces it, is in docs/limits.md.
struct scheme_facts {
    std::string_view name;
    std::string_view summary;
    std::string_view paper;  // where it comes from
    std::string_view limits; // in words; empty when there are none
    unsigned widest = 128;   // the most address bits it can serve
    bool vectorised = false; // has kernels an ISA: worth building once for each
    bool standard = true;    // among the schemes that `default` selects; false for ablation variants
};

template <class A>
struct scheme_entry {
    scheme_facts facts;
    bool patchable;
    expected<any_fib<A>> (*build)(const routes<A>&, const build_options&);
};

// Every scheme that serves addresses of this width, in the order of the list in registry_list.hpp.
// Instantiated for 32 and 128 bits in registry.cpp; tests of other widths include registry_list.hpp.
template <class A>
std::span<const scheme_entry<A>> schemes() noexcept;

// nullptr when no scheme of this name serves addresses of this width.
template <class A>
const scheme_entry<A>* find_scheme(std::string_view name) noexcept {
    for (const auto& entry : schemes<A>())
        if (entry.facts.name == name)
            return &entry;
    return nullptr;
}

// The project's own choice where the user makes none; registry.cpp asserts that it is there.
inline constexpr std::string_view default_scheme_name = "packed_leaves";

template <class A>
const scheme_entry<A>& default_scheme() noexcept {
    return *find_scheme<A>(default_scheme_name);
}

} // namespace fingerpost
