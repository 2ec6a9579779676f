// The kernels with 256-bit vectors, under the compiler flags of this file alone.
#include "fingerpost/simd/vec_avx2.hpp"

#include "fingerpost/simd/byte_order.inl.hpp"
#include "fingerpost/simd/dispatch.hpp"
#include "fingerpost/simd/packed.inl.hpp"
#include "fingerpost/simd/planb.inl.hpp"

namespace fingerpost::simd {

constinit const kernel_table kernels_avx2 = {
    .name = "avx2",
    .summary = "AVX2, BMI2",
    .planb = planb_all,
    .packed = packed_all,
    .byte_order = byte_order_all,
};

} // namespace fingerpost::simd
