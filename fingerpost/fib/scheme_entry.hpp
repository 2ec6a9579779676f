// What is known of a scheme without building it, and how to build it: what the registry lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
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
    // Its name may go on with the strides of its levels: a colon, then numbers with dashes between them.
    bool takes_strides = false;

    constexpr bool is_standard() const noexcept { return role != scheme_role::ablation; }
};

// How a FIB of a scheme is built: a function, and the strides that the scheme's name tells, if any. They must
// outlive it. Null when there is no such way.
template <class A>
class fib_builder {
  public:
    using built = expected<fib_pointer<A>>;
    using function = built (*)(const routes<A>&, const build_options&) noexcept;

    constexpr fib_builder(function run = nullptr, std::span<const std::uint8_t> strides = {}) noexcept
        : run_(run), strides_(strides) {}

    built operator()(const routes<A>& from, const build_options& options) const noexcept {
        if (strides_.empty())
            return run_(from, options);
        build_options with = options;
        with.strides = strides_;
        return run_(from, with);
    }
    constexpr fib_builder with(std::span<const std::uint8_t> strides) const noexcept {
        return {run_, strides};
    }
    constexpr bool operator==(std::nullptr_t) const noexcept { return run_ == nullptr; }

  private:
    function run_;
    std::span<const std::uint8_t> strides_;
};

template <class A>
struct scheme_entry {
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
    fib_builder<A> build{};
    fib_builder<A> build_in_place{};
    opened (*open)(const saved_arrays&,
                   const build_options&) noexcept = nullptr; // null without
};

} // namespace fingerpost
