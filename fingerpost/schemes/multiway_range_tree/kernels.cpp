// This scheme's kernels, compiled once for each instruction set.
#include "fingerpost/schemes/multiway_range_tree/kernels.inl.hpp"

namespace fingerpost::multiway_range_tree {

const kernel_set& kernels_for(simd::this_isa) noexcept {
    return all_kernels;
}

} // namespace fingerpost::multiway_range_tree
