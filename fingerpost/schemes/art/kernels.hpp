// Batch kernels of the allotment routing table for IPv4.
#pragma once

#include <cstdint>

#include "fingerpost/schemes/art/table.hpp"
#include "fingerpost/simd/select.hpp"

namespace fingerpost::art {

struct arrays {
    const entry* entries; // entries of all nodes
    const next_hop* routes;
    std::uint32_t root;
};

// Gathers have signed 32-bit indices.
inline constexpr std::size_t most_gathered_nodes = (std::size_t{1} << 31) / node::entries;

// Looks up group_lanes addresses and writes their next hops. Returns a mask of the lookups that have to go
// back up, which are left to the caller. Null for instruction sets without gathers.
inline constexpr unsigned group_lanes = 64;
using group_kernel = std::uint64_t (*)(const arrays&, const void* addresses, std::uint32_t* out) noexcept;

// Returns the kernel for an instruction set.
group_kernel kernels_of(simd::isa which) noexcept;

// Defined in kernels.cpp for each instruction set in the build.
group_kernel kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
group_kernel kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
group_kernel kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
group_kernel kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::art
