// The kernels of this scheme, compiled once for each instruction set.
#include "fingerpost/schemes/tree_bitmap/kernels.inl.hpp"

namespace fingerpost::tree_bitmap {

const kernel_set& kernels_for(simd::this_isa) noexcept {
    return all_kernels;
}

} // namespace fingerpost::tree_bitmap
