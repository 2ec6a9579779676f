// The kernels with 128-bit vectors, under the compiler flags of this file alone.
#include "fingerpost/simd/vec_neon.hpp"

#include "fingerpost/simd/byte_order.inl.hpp"
#include "fingerpost/simd/dispatch.hpp"
#include "fingerpost/simd/packed.inl.hpp"
#include "fingerpost/simd/planb.inl.hpp"

namespace fingerpost::simd {

constinit const kernel_table kernels_neon = {
    .name = "neon",
    .summary = "64-bit ARM",
    .planb = planb_all,
    .packed = packed_all,
    .byte_order = byte_order_all,
};

} // namespace fingerpost::simd
