// This scheme's kernels, compiled once for each instruction set.
#include "fingerpost/schemes/tree_bitmap/kernels.inl.hpp"
#include "fingerpost/schemes/tree_bitmap/split_kernels.inl.hpp"

namespace fingerpost::tree_bitmap {
namespace {

constinit const kernel_set all_kernels = {
    .three = kernels_of_stride<3>,
    .four = kernels_of_stride<4>,
    .five = kernels_of_stride<5>,
    .six = kernels_of_stride<6>,
    .eight = kernels_of_stride<8>,
    .split = kernels_of_split,
};

} // namespace

const kernel_set& kernels_for(simd::this_isa) noexcept {
    return all_kernels;
}

} // namespace fingerpost::tree_bitmap
