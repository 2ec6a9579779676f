// Selects the code for an instruction set that is known at run time.
//
// A component with kernels declares `const set& kernels_for(isa_tag<I>) noexcept` for each instruction set.
// Its kernels.cpp is compiled once for each and defines the function for `this_isa` (vec.hpp). Another source
// of the library chooses among them with select().
#pragma once

#include <type_traits>

#include "fingerpost/simd/isa.hpp"

namespace fingerpost::simd {

template <isa I>
using isa_tag = std::integral_constant<isa, I>;

// Returns of(isa_tag<which>{}), or the scalar one for an instruction set that is not in the build. Only for
// sources of the library, because the build flags are defined only for them.
template <class Of>
decltype(auto) select(isa which, Of of) noexcept {
    switch (which) {
#if FINGERPOST_ISA_AVX2
    case isa::avx2:
        return of(isa_tag<isa::avx2>{});
#endif
#if FINGERPOST_ISA_AVX512
    case isa::avx512:
        return of(isa_tag<isa::avx512>{});
#endif
#if FINGERPOST_ISA_NEON
    case isa::neon:
        return of(isa_tag<isa::neon>{});
#endif
    default:
        return of(isa_tag<isa::scalar>{});
    }
}

} // namespace fingerpost::simd
