// This scheme's kernels, compiled once for each instruction set.
#include "fingerpost/schemes/cp_trie/kernels.inl.hpp"

namespace fingerpost::cp_trie {

const kernel_set& kernels_for(simd::this_isa) noexcept {
    return all_kernels;
}

} // namespace fingerpost::cp_trie
