// Models for the placement of prefixes in the address space.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/workloads/generate/length_shares.hpp"
#include "fingerpost/base/expected.hpp"
#include "fingerpost/net/prefix.hpp"

namespace fingerpost::bench {

// Return counts[length] different prefixes of each length in any order, or a message about a length that does
// not fit. Uniform: all prefixes of a length in 2000::/3, or in IPv4 unicast space, have the same
// probability. Clustered: allocations, sites and de-aggregation as in tier1-v6 and tier1-v4
// (docs/inside/generator.md).
template <class A>
using prefixes_or_reason = expected<std::vector<prefix<A>>, std::string>;

template <class A>
prefixes_or_reason<A> uniform_prefixes(const length_counts& counts, std::uint64_t seed);
template <class A>
prefixes_or_reason<A> clustered_prefixes(const length_counts& counts, std::uint64_t seed);

// This many adjacent /48s from 2001:db8::, or /24s from 1.0.0.0.
template <class A>
prefixes_or_reason<A> contiguous_prefixes(std::size_t count);
// Random hosts under 2001:db8::/108, or under 1.16.0.0/12: 2^20 addresses.
template <class A>
prefixes_or_reason<A> host_prefixes(std::size_t count, std::uint64_t seed);

} // namespace fingerpost::bench
