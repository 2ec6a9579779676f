// Selects the kernels of an instruction set.
#include "fingerpost/fib/parts/lengths/length_search.hpp"

namespace fingerpost::length_search {

const kernel_set& kernels_of(simd::isa which) noexcept {
    return simd::select(which, [](auto tag) -> const kernel_set& { return kernels_for(tag); });
}

} // namespace fingerpost::length_search
