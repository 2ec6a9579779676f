// The competitors of a measurement: schemes of the registry, and third parties with the same interface.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "fingerpost/registry/registry.hpp"

namespace fingerpost::bench {

// A build is repeated once per round; after two builds, only until this time has passed.
inline constexpr double build_seconds = 3;

// A competitor, as the harness sees it: a function that builds it. The result supports single lookups and
// batches and reports its size. A third party (lab/competitors/linked) is a class that satisfies the scheme
// concept, put into any_fib.
template <class A>
struct competitor {
    std::string name;
    std::string isa; // "scalar" for competitors without kernels
    std::function<expected<fib_pointer<A>>(const routes<A>&)> build;
};

struct competitor_choice {
    std::vector<std::string> schemes = {"default"}; // names, "default" (the standard ones) or "all"
    std::vector<std::string> isas = {"auto"};       // names, "auto" (this machine's best) or "all"
    std::vector<std::string> third_parties;         // names of third_party_sets()
};

// Every chosen scheme, once for each chosen ISA if it has kernels and otherwise once; then the third parties.
// The error is a sentence for the user, with the known names.
template <class A>
expected<std::vector<competitor<A>>, std::string> choose_competitors(const competitor_choice& choice);

// The adapters for third-party libraries that this build has found, by name.
template <class A>
struct third_party_set {
    std::string name;
    std::function<std::vector<competitor<A>>()> make;
};
template <class A>
std::vector<third_party_set<A>>& third_party_sets();

// The names of all sets that have adapters, whether or not this build has found their libraries.
std::vector<std::string> known_third_parties();
// How to get a build with this set; empty if this build has it.
std::string why_third_party_is_missing(const std::string& name);

} // namespace fingerpost::bench
