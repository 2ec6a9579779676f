// Generates realistic routing tables of any size. A seed gives the same table on every platform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/workloads/generate/length_shares.hpp"
#include "fingerpost/base/expected.hpp"
#include "fingerpost/net/route.hpp"

namespace fingerpost::bench {

// The last three are V. Bernat's cases for the Linux IPv6 table (2017) besides an Internet view, which is the
// clustered model; they have prefixes of one length and ignore the named shares.
enum class address_model : std::uint8_t { uniform, clustered, contiguous, sparse, hosts };

struct named_model {
    std::string_view name;
    address_model model;
};
inline constexpr named_model address_models[] = {
    {"clustered", address_model::clustered},   // allocations, sites and de-aggregation like real BGP
    {"uniform", address_model::uniform},       // anywhere in unicast space
    {"contiguous", address_model::contiguous}, // /48s, or /24s, side by side
    {"sparse", address_model::sparse},         // /48s, or /24s, anywhere
    {"hosts", address_model::hosts},           // /128s under one /108, or /32s under one /12
};

// A larger table would need too much memory.
inline constexpr std::size_t most_routes = 100'000'000;

struct generate_options {
    std::string_view shares = {}; // a name of share_tables; empty for default_shares of the family
    address_model model = address_model::clustered;
    std::size_t routes = 0; // 0: the number of the named table
    std::uint64_t seed = 1;
    std::uint32_t next_hops = 64; // at least 1; assigned as dealing::clustered
};

// Returns exactly this many routes, sorted by prefix, each prefix once. The error is a message: an unknown
// name, a name of the other family, no next hops, more than 100 million routes, or a length without room for
// its share.
template <class A>
expected<std::vector<route<A>>, std::string> generate(const generate_options& options);

} // namespace fingerpost::bench
