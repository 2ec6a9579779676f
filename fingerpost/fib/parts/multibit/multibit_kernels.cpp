// Selects the kernels of multibit tries.
#include "fingerpost/fib/parts/multibit/multibit_kernels.hpp"

namespace fingerpost::multibit {

const kernel_set& kernels_of(simd::isa which) noexcept {
    return simd::select(which, [](auto tag) -> const kernel_set& { return kernels_for(tag); });
}

} // namespace fingerpost::multibit
