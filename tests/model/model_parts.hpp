// The parts of a run of the model test besides its operations: counts, the schemes to draw from, the state of
// each family, and next hops as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "tests/model/history.hpp"
#include "tests/support/c_interface.hpp"
#include "tests/support/tables/tables.hpp"

namespace fingerpost::testing {

// Counts the work of all runs. The test reports the counts and fails when they are too low.
struct model_counts {
    std::size_t runs = 0;
    std::size_t runs_of_bytes = 0;
    std::size_t operations = 0;
    std::size_t published = 0;
    std::size_t deferred = 0;
    std::size_t failed = 0;     // operations that ran out of memory
    std::size_t pinned_old = 0; // comparisons with a reader of an old version
    std::size_t compared = 0;   // answers compared
    std::size_t images = 0;
};

// The names of a family's schemes, split by whether an empty FIB takes megabytes. Computed once, because that
// takes time.
struct model_schemes {
    std::vector<std::string> small;
    std::vector<std::string> large;
};
struct model_choices {
    model_schemes ipv4;
    model_schemes ipv6;
    std::vector<std::string> isas;
};

// One object per family.
template <template <class> class Part>
struct of_both {
    Part<ipv4_address> ipv4{};
    Part<ipv6_address> ipv6{};

    template <class A>
    auto& of() {
        if constexpr (A::bits == 32)
            return ipv4;
        else
            return ipv6;
    }
    template <class A>
    const auto& of() const {
        return const_cast<of_both*>(this)->of<A>();
    }
};

template <class A>
using routes_of_family = std::vector<route<A>>;
using both_routes = of_both<routes_of_family>;

inline std::size_t size_of(const both_routes& all) {
    return all.ipv4.size() + all.ipv6.size();
}

// The model of a family, and the pool of prefixes that a run changes.
template <class A>
struct model_family {
    history<A> model;
    std::vector<prefix<A>> pool;
    std::span<const prefix<A>> last; // the part of `pool` that was changed last
    bool in_place = false;
};

// A next hop of the model as bytes. Some values are too long for the small-string buffer.
inline std::string bytes_of(next_hop hop) {
    return std::to_string(hop.id) + (hop.id % 2 == 0 ? "" : ", with more text than a string has room for");
}
inline std::uint32_t hop_of_bytes(const char* bytes) {
    return bytes == nullptr ? FINGERPOST_NO_ROUTE
                            : static_cast<std::uint32_t>(std::strtoul(bytes, nullptr, 10));
}

} // namespace fingerpost::testing
