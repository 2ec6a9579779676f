// Kernels of the shared parts, compiled once for each instruction set. Some exist only for AVX-512.
#include "fingerpost/fib/parts/cells/walk.inl.hpp"
#include "fingerpost/fib/parts/lengths/length_kernels.hpp"
#include "fingerpost/fib/parts/lengths/length_search_kernels.inl.hpp"
#include "fingerpost/fib/parts/multibit/multibit_kernels.hpp"
#include "fingerpost/simd/vec.hpp"

#if FINGERPOST_KERNELS_FOR_AVX512
#include "fingerpost/fib/parts/lengths/length_kernels_avx512.hpp"
#include "fingerpost/fib/parts/multibit/multibit_kernels_avx512.hpp"
#endif

namespace fingerpost::cells {

namespace {
constinit const kernel_set all_kernels{{walk_tree<1>, walk_tree<2>, walk_tree<4>}};
} // namespace

const kernel_set& kernels_for(simd::this_isa) noexcept {
    return all_kernels;
}

} // namespace fingerpost::cells

namespace fingerpost::length_kernels {

#if !FINGERPOST_KERNELS_FOR_AVX512
namespace {
constinit const kernel_set all_kernels{};
} // namespace
#endif

const kernel_set& kernels_for(simd::this_isa) noexcept {
    return all_kernels;
}

} // namespace fingerpost::length_kernels

namespace fingerpost::multibit {

#if !FINGERPOST_KERNELS_FOR_AVX512
namespace {
constinit const kernel_set all_kernels{};
} // namespace
#endif

const kernel_set& kernels_for(simd::this_isa) noexcept {
    return all_kernels;
}

} // namespace fingerpost::multibit

namespace fingerpost::length_search {

const kernel_set& kernels_for(simd::this_isa) noexcept {
    return all_kernels;
}

} // namespace fingerpost::length_search
