// This scheme's kernels, compiled once for each instruction set.
#include "fingerpost/schemes/bart/kernels.inl.hpp"

namespace fingerpost::bart {

const kernel_set& kernels_for(simd::this_isa) noexcept {
    return all_kernels;
}

} // namespace fingerpost::bart
