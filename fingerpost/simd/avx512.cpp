// The kernels with 512-bit vectors, under the compiler flags of this file alone.
#include "fingerpost/simd/vec_avx512.hpp"

#include "fingerpost/simd/byte_order.inl.hpp"
#include "fingerpost/simd/dispatch.hpp"
#include "fingerpost/simd/packed.inl.hpp"
#include "fingerpost/simd/planb.inl.hpp"

namespace fingerpost::simd {

constinit const kernel_table kernels_avx512 = {
    .name = "avx512",
    .summary = "AVX-512 F, BW, DQ, VL",
    .planb = planb_all,
    .packed = packed_all,
    .byte_order = byte_order_all,
};

} // namespace fingerpost::simd
