// This scheme's kernels, compiled once for each instruction set.
#include "fingerpost/schemes/neurotrie/kernels.inl.hpp"

namespace fingerpost::neurotrie {

const kernel_set& kernels_for(simd::this_isa) noexcept {
    return all_kernels;
}

} // namespace fingerpost::neurotrie
