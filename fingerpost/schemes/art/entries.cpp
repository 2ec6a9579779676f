// The allotment routing table for 32 and for 128 bits.
#include "fingerpost/schemes/art/entries.hpp"

namespace fingerpost::art {

group_kernel kernel_of(simd::isa which) noexcept {
    return simd::select(which, [](auto tag) -> group_kernel { return kernels_for(tag); });
}

template std::span<const scheme_entry<ipv4_address>> entries<ipv4_address>() noexcept;
template std::span<const scheme_entry<ipv6_address>> entries<ipv6_address>() noexcept;

} // namespace fingerpost::art
