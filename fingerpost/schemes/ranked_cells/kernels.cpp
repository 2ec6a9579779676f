// This scheme's kernels, compiled once for each instruction set.
#include "fingerpost/schemes/ranked_cells/kernels.inl.hpp"

namespace fingerpost::ranked_cells {

const kernel_set& kernels_for(simd::this_isa) noexcept {
    return all_kernels;
}

} // namespace fingerpost::ranked_cells
