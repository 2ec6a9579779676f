// Tree bitmaps for 32 and for 128 bits.
#include "fingerpost/schemes/tree_bitmap/entries.hpp"

namespace fingerpost::tree_bitmap {

const kernel_set& kernels_of(simd::isa which) noexcept {
    return simd::select(which, [](auto tag) -> const kernel_set& { return kernels_for(tag); });
}

template std::span<const scheme_entry<ipv4_address>> entries<ipv4_address>() noexcept;
template std::span<const scheme_entry<ipv6_address>> entries<ipv6_address>() noexcept;

} // namespace fingerpost::tree_bitmap
