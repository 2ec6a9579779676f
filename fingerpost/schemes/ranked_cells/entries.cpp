// Ranked cells for 32 bits.
#include "fingerpost/schemes/ranked_cells/entries.hpp"

namespace fingerpost::ranked_cells {

const kernel_set& kernels_of(simd::isa which) noexcept {
    return simd::select(which, [](auto tag) -> const kernel_set& { return kernels_for(tag); });
}

template std::span<const scheme_entry<ipv4_address>> entries<ipv4_address>() noexcept;
template std::span<const scheme_entry<ipv6_address>> entries<ipv6_address>() noexcept;

} // namespace fingerpost::ranked_cells

namespace fingerpost {

template class cells::fib<ipv4_address, ranked_cells::word_front>;

} // namespace fingerpost
