// What is known of a scheme without building it, and how to build it: what the registry lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fingerpost/fib/any_fib.hpp"

namespace fingerpost {

// What a scheme is there for.
enum class scheme_role : std::uint8_t {
    standard, // one of those that are worth comparing; `default` selects these
    baseline, // of these the one that the others are compared with
    ablation, // a variant that shows what one idea of its scheme is worth
};

// Program, README and the tables of the documents are made from these.
struct scheme_facts {
    std::string_view name{};     // of a variant: its scheme, a colon and its own
    std::string_view old_name{}; // which users may still know; empty without one
    std::string_view summary{};
    std::string_view source{}; // the paper, or where else it comes from
    scheme_role role = scheme_role::standard;
    unsigned widest = 128;            // the most address bits it can serve
    std::uint64_t most_intervals = 0; // 0 without a bound but memory
    std::uint64_t most_next_hops = 0; // different ones; 0 without a bound but their ids
    bool vectorised = false;          // has kernels: worth building once for each ISA
    bool large_when_empty = false;    // takes more than 1 MiB however few the routes are

    constexpr bool is_standard() const noexcept { return role != scheme_role::ablation; }
};

template <class A>
struct scheme_entry {
    using built = expected<fib_pointer<A>>;
    using opened = expected<fib_pointer<A>, saved_fault>;

    scheme_facts facts;
    // The concepts that it satisfies.
    bool patchable = false;
    bool patchable_in_place = false;
    bool syncable = false;
    bool saveable = false;
    bool traceable = false;
    bool visitable = false;
    unsigned min_length_with_ranges = 0; // as in patchable.hpp
    built (*build)(const routes<A>&, const build_options&) noexcept = nullptr;
    built (*build_in_place)(const routes<A>&, const build_options&) noexcept = nullptr; // null without
    opened (*open)(const saved_arrays&,
                   const build_options&) noexcept = nullptr; // null without
};

} // namespace fingerpost
