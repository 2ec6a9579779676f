// Selects the byte order kernels of an instruction set.
#include "fingerpost/simd/byte_order.hpp"

namespace fingerpost::simd {

const byte_order_kernels& byte_order(isa which) noexcept {
    return select(which, [](auto tag) -> const byte_order_kernels& { return kernels_for(tag); });
}

} // namespace fingerpost::simd
