// Who takes part in a measurement: schemes of the registry, and third_parties that look like one.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "fingerpost/registry/registry.hpp"

namespace fingerpost::bench {

// Building is repeated as often as there are rounds, but no longer than this once it was done twice.
inline constexpr double build_seconds = 3;

// All that the harness knows of one: how to build it. What it builds answers single lookups and batches and
// tells its size. A third party (bench/competitors) is a class that satisfies the scheme concept, put into
// any_fib.
template <class A>
struct competitor {
    std::string name;
    std::string isa; // "scalar" for whatever has no kernels
    std::function<expected<fib_pointer<A>>(const routes<A>&)> build;
};

struct competitor_choice {
    std::vector<std::string> schemes = {"default"}; // names, "default" (the standard ones) or "all"
    std::vector<std::string> isas = {"auto"};       // names, "auto" (this machine's best) or "all"
    std::vector<std::string> third_parties;         // names of third_party_sets()
};

// Every scheme chosen, once for each ISA chosen when it has kernels and else once; then the third_parties.
// The error is a sentence for the user, with the names that are known.
template <class A>
expected<std::vector<competitor<A>>, std::string> choose_competitors(const competitor_choice& choice);

// Adapters for libraries of others that this build found, by name.
template <class A>
struct third_party_set {
    std::string name;
    std::function<std::vector<competitor<A>>()> make;
};
template <class A>
std::vector<third_party_set<A>>& third_party_sets();

// The names of all sets that there are adapters for, whether this build found their libraries or not.
std::vector<std::string> known_third_parties();
// What to do for a build that has this set; empty when this one has it.
std::string why_third_party_is_missing(const std::string& name);

} // namespace fingerpost::bench
