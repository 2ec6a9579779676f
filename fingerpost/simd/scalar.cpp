// The kernels without vector instructions, under the compiler flags of this file alone.
#include "fingerpost/simd/vec_scalar.hpp"

#include "fingerpost/simd/byte_order.inl.hpp"
#include "fingerpost/simd/dispatch.hpp"
#include "fingerpost/simd/packed.inl.hpp"
#include "fingerpost/simd/planb.inl.hpp"

namespace fingerpost::simd {

constinit const kernel_table kernels_scalar = {
    .name = "scalar",
    .summary = "any CPU",
    .planb = planb_all,
    .packed = packed_all,
    .byte_order = byte_order_all,
};

} // namespace fingerpost::simd
