// The workloads of the lookup benchmark: which addresses are looked up, and in which order.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/rib/routes.hpp"

namespace fingerpost::bench {

struct workload_facts {
    std::string_view name;
    std::string_view summary;
    bool fits_l1 = false; // measures instructions, not memory; reports must mark it
};

std::span<const workload_facts> workloads() noexcept;
const workload_facts* find_workload(std::string_view name) noexcept;

// `count` addresses in the order of their lookup, in huge pages if there are many. The same table, count and
// seed give the same trace everywhere, regardless of other workloads. Errors: invalid for an unknown
// name, not_found if the table has no such address (no route, or no gap between routes), out_of_memory.
template <class A>
expected<aligned_array<A>> make_trace(std::string_view workload, const routes<A>& table, std::size_t count,
                                      std::uint64_t seed);

} // namespace fingerpost::bench
