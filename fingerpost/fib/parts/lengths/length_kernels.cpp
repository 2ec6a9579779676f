// Selects the kernels of an instruction set.
#include "fingerpost/fib/parts/lengths/length_kernels.hpp"

namespace fingerpost::length_kernels {

const kernel_set& kernels_of(simd::isa which) noexcept {
    return simd::select(which, [](auto tag) -> const kernel_set& { return kernels_for(tag); });
}

} // namespace fingerpost::length_kernels
