// The step of the kernels that AVX2 makes for eight addresses at once: writing answers. The other steps are
// taken address by address (kernels.inl.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "fingerpost/schemes/packed_leaves/view.hpp"
#include "fingerpost/simd/inline.hpp"

namespace fingerpost::packed_leaves {
namespace {

using namespace simd;

class wide_steps {
  public:
    static constexpr bool are_there = false;
    static constexpr bool prefetches = false; // unless the CPU wants it

    explicit FINGERPOST_INLINE wide_steps(const code_view& codes) : codes_(codes) {}

    // Whether the index leads one of these addresses, at least 16, to a tree.
    template <class State>
    static FINGERPOST_INLINE bool goes_on(const State& now, std::size_t count) {
        __m256i all = load(now.entry + count - 4);
        for (std::size_t i = 0; i + 4 <= count; i += 4)
            all = _mm256_or_si256(all, load(now.entry + i));
        return _mm256_testz_si256(all, _mm256_set1_epi64x(0xffffffff)) == 0;
    }
    // Writes the meaning of 16 codes, and returns a mask of those that are the escape.
    template <class State>
    FINGERPOST_INLINE std::uint64_t write_16(std::uint32_t* out, const State& now, std::size_t first) const {
        const __m256i count = _mm256_set1_epi32(static_cast<int>(codes_.region_count));
        const __m256i escape = _mm256_set1_epi32(static_cast<int>(codes_.escape));
        std::uint64_t escaped = 0;
        unroll<2>([&](auto half) FINGERPOST_LAMBDA {
            const std::size_t at = first + half.value * 8;
            const __m256i code = codes_at(now, at);
            const __m256i region = _mm256_min_epu32(code, count);
            __m256i answer = _mm256_sub_epi32(code, region);
            // Behind the regions is a 0, so only regions need a lookup. Most groups have no region, or
            // nothing else.
            if (_mm256_movemask_epi8(_mm256_cmpeq_epi32(region, count)) != -1)
                answer = _mm256_add_epi32(
                    answer, _mm256_i32gather_epi32(reinterpret_cast<const int*>(codes_.regions), region, 4));
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + half.value * 8), answer);
            const __m256 is_escape = _mm256_castsi256_ps(_mm256_cmpeq_epi32(code, escape));
            escaped |= static_cast<std::uint64_t>(_mm256_movemask_ps(is_escape)) << (half.value * 8);
        });
        return escaped;
    }

  private:
    static FINGERPOST_INLINE __m256i load(const void* from) {
        return _mm256_loadu_si256(static_cast<const __m256i*>(from));
    }
    // The sum of the index's codes, in the high halves of its entries, and the leaves' codes; or codes alone.
    template <class State>
    static FINGERPOST_INLINE __m256i codes_at(const State& now, std::size_t at) {
        const __m256i found = load(now.found + at);
        if constexpr (requires { now.entry; }) {
            const __m256 low = _mm256_castsi256_ps(load(now.entry + at));
            const __m256 high = _mm256_castsi256_ps(load(now.entry + at + 4));
            const __m256i halves = _mm256_castps_si256(_mm256_shuffle_ps(low, high, 0xdd));
            return _mm256_add_epi32(found, _mm256_permute4x64_epi64(halves, 0xd8));
        } else {
            return found;
        }
    }

    code_view codes_;
};

} // namespace
} // namespace fingerpost::packed_leaves
