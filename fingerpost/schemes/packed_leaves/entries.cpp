// Packed leaves for 32 and for 128 bits.
#include "fingerpost/schemes/packed_leaves/entries.hpp"

namespace fingerpost::packed_leaves {

const kernel_set& kernels_of(simd::isa which) noexcept {
    return simd::select(which, [](auto tag) -> const kernel_set& { return kernels_for(tag); });
}

template std::span<const scheme_entry<ipv4_address>> entries<ipv4_address>() noexcept;
template std::span<const scheme_entry<ipv6_address>> entries<ipv6_address>() noexcept;

} // namespace fingerpost::packed_leaves

namespace fingerpost {

template class cells::fib<ipv4_address, packed_leaves::index_front>;
template class cells::fib<ipv6_address, packed_leaves::index_front>;

} // namespace fingerpost
