// The batch kernels of the allotment routing table by instruction set, for IPv4.
#pragma once

#include <cstdint>

#include "fingerpost/schemes/art/table.hpp"
#include "fingerpost/simd/select.hpp"

namespace fingerpost::art {

struct arrays {
    const entry* entries; // of all nodes
    const next_hop* routes;
    std::uint32_t root;
};

// Gathers have signed indices of 32 bits.
inline constexpr std::size_t most_gathered_nodes = (std::size_t{1} << 31) / node::entries;

// Looks up this many addresses at once and writes next hops. Returns a mask of the lookups that have to turn
// back; these are not done. Null for instruction sets without gathers.
inline constexpr unsigned group_lanes = 64;
using group_kernel = std::uint64_t (*)(const arrays&, const void* addresses, std::uint32_t* out) noexcept;

// The kernel of an instruction set.
group_kernel kernels_of(simd::isa which) noexcept;

// kernels.cpp defines one for each instruction set that was built.
group_kernel kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
group_kernel kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
group_kernel kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
group_kernel kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::art
