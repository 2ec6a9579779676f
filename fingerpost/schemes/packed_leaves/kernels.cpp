// This scheme's kernels, compiled once for each instruction set.
#include "fingerpost/schemes/packed_leaves/kernels.inl.hpp"

namespace fingerpost::packed_leaves {

const kernel_set& kernels_for(simd::this_isa) noexcept {
    return all_kernels;
}

} // namespace fingerpost::packed_leaves
