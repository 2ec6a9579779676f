// Defines `vec`, the vector operations of the instruction set that this file is compiled for, and its tag.
// Included by files that are compiled once for each instruction set (cmake/FingerpostIsa.cmake).
#pragma once

#include "fingerpost/simd/select.hpp"

#if FINGERPOST_KERNELS_FOR_AVX512
#include "fingerpost/simd/vec_avx512.hpp"
#elif FINGERPOST_KERNELS_FOR_AVX2
#include "fingerpost/simd/vec_avx2.hpp"
#elif FINGERPOST_KERNELS_FOR_NEON
#include "fingerpost/simd/vec_neon.hpp"
#elif FINGERPOST_KERNELS_FOR_SCALAR
#include "fingerpost/simd/vec_scalar.hpp"
#else
#error "only for files that are compiled once for each instruction set"
#endif

namespace fingerpost::simd {
namespace {

#if FINGERPOST_KERNELS_FOR_AVX512
using this_isa = isa_tag<isa::avx512>;
#elif FINGERPOST_KERNELS_FOR_AVX2
using this_isa = isa_tag<isa::avx2>;
#elif FINGERPOST_KERNELS_FOR_NEON
using this_isa = isa_tag<isa::neon>;
#else
using this_isa = isa_tag<isa::scalar>;
#endif

} // namespace
} // namespace fingerpost::simd
