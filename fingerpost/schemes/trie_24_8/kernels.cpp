// This scheme's kernels, compiled once for each instruction set.
#include "fingerpost/schemes/trie_24_8/kernels.hpp"
#include "fingerpost/simd/vec.hpp"

#if FINGERPOST_KERNELS_FOR_AVX512
#include "fingerpost/schemes/trie_24_8/kernels_avx512.hpp"
#endif

namespace fingerpost::trie_24_8 {

#if !FINGERPOST_KERNELS_FOR_AVX512
namespace {
constinit const kernel_set all_kernels = {nullptr, nullptr};
} // namespace
#endif

const kernel_set& kernels_for(simd::this_isa) noexcept {
    return all_kernels;
}

} // namespace fingerpost::trie_24_8
