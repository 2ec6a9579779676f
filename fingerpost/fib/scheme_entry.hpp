// An entry of the registry: the properties of a scheme, and how to build it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "fingerpost/fib/any_fib.hpp"

namespace fingerpost {

// Purpose of a scheme.
enum class scheme_role : std::uint8_t {
    standard, // recommended for comparisons; selected by `default`
    baseline, // the standard scheme that the others are compared with
    ablation, // a variant that measures the effect of one idea of its scheme
};

// The command line, the README and tables in the documentation are generated from these.
struct scheme_facts {
    std::string_view name{};     // for a variant: its scheme, a colon and its own name
    std::string_view old_name{}; // former name, still accepted; may be empty
    std::string_view summary{};
    std::string_view source{}; // the paper or other origin
    scheme_role role = scheme_role::standard;
    unsigned widest = 128;            // maximum address width in bits
    std::uint64_t most_intervals = 0; // 0: limited only by memory
    std::uint64_t most_next_hops = 0; // maximum number of different next hops; 0: limited only by their ids
    bool vectorised = false;          // has kernels, so it is worth building for each ISA
    bool large_when_empty = false;    // uses more than 1 MiB even without routes
    // True if its name may be followed by the strides of its levels: a colon, then numbers with dashes.
    bool takes_strides = false;

    constexpr bool is_standard() const noexcept { return role != scheme_role::ablation; }
};

// Builds FIBs of a scheme: a function, and the strides in the scheme's name, if any. Both must outlive it.
// Null if the scheme does not support this way of building.
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
    // The concepts that the scheme satisfies.
    bool patchable = false;
    bool patchable_in_place = false;
    bool syncable = false;
    bool saveable = false;
    bool traceable = false;
    bool visitable = false;
    unsigned min_length_with_ranges = 0; // see patchable.hpp
    fib_builder<A> build{};
    fib_builder<A> build_in_place{};
    opened (*open)(const saved_arrays&,
                   const build_options&) noexcept = nullptr; // null if not supported
};

} // namespace fingerpost
