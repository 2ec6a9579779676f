// This scheme's kernels, compiled once for each instruction set.
#include "fingerpost/schemes/binary_search_on_prefixes/kernels.inl.hpp"

namespace fingerpost::binary_search_on_prefixes {

const kernel_set& kernels_for(simd::this_isa) noexcept {
    return all_kernels;
}

} // namespace fingerpost::binary_search_on_prefixes
