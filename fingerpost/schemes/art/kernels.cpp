// This scheme's kernels, compiled once for each instruction set. Only AVX-512 has a kernel.
#include "fingerpost/schemes/art/kernels.hpp"
#include "fingerpost/simd/vec.hpp"

#if FINGERPOST_KERNELS_FOR_AVX512
#include "fingerpost/schemes/art/kernels_avx512.hpp"
#endif

namespace fingerpost::art {

group_kernel kernels_for(simd::this_isa) noexcept {
#if FINGERPOST_KERNELS_FOR_AVX512
    return look_up_group;
#else
    return nullptr;
#endif
}

} // namespace fingerpost::art
