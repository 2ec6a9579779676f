// Decodes many codes: the last step of a batch, for 16 addresses together. Included by files that are
// compiled for each instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/fib/parts/cells/codes.hpp"
#include "fingerpost/simd/inline.hpp"

#if FINGERPOST_KERNELS_FOR_AVX512 || FINGERPOST_KERNELS_FOR_AVX2
#include <immintrin.h>
#endif

namespace fingerpost::cells {
namespace {

using namespace simd;

#if FINGERPOST_KERNELS_FOR_AVX512
class wide_codes {
  public:
    // The answers of the first regions stay in registers.
    explicit FINGERPOST_INLINE wide_codes(const code_view& codes)
        : codes_(codes), low_(_mm512_loadu_si512(codes.regions)),
          high_(_mm512_loadu_si512(codes.regions + 16)) {}

    // Writes the numbers of 16 codes. Returns a mask of the escape codes.
    FINGERPOST_INLINE std::uint64_t write_16(std::uint32_t* out, __m512i code) const {
        _mm512_storeu_si512(out, answers(code));
        return escapes(code);
    }
    FINGERPOST_INLINE std::uint64_t write_16(std::uint32_t* out, const std::uint32_t* codes) const {
        return write_16(out, _mm512_loadu_si512(codes));
    }

    // See code_view::number_of().
    FINGERPOST_INLINE __m512i answers(__m512i code) const {
        const __mmask16 is_region = _mm512_cmplt_epu32_mask(code, _mm512_set1_epi32(least_regions));
        const __m512i count = _mm512_set1_epi32(static_cast<int>(codes_.region_count));
        const __m512i answer = _mm512_mask_mov_epi32(_mm512_sub_epi32(code, count), is_region,
                                                     _mm512_permutex2var_epi32(low_, code, high_));
        const __mmask16 is_far = _mm512_cmplt_epu32_mask(code, count) & _knot_mask16(is_region);
        if (is_far != 0) [[unlikely]]
            return _mm512_mask_i32gather_epi32(answer, is_far, code, codes_.regions, 4);
        return answer;
    }
    FINGERPOST_INLINE std::uint64_t escapes(__m512i code) const {
        return _mm512_cmpeq_epi32_mask(code, _mm512_set1_epi32(static_cast<int>(codes_.escape)));
    }

    // Returns the even (0) or odd (1) 32-bit words of two vectors.
    static FINGERPOST_INLINE __m512i every_second(__m512i low, __m512i high, int first) {
        const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
        return _mm512_permutex2var_epi32(low, _mm512_add_epi32(even, _mm512_set1_epi32(first)), high);
    }

  private:
    code_view codes_;
    __m512i low_;
    __m512i high_;
};
#elif FINGERPOST_KERNELS_FOR_AVX2
class wide_codes {
  public:
    explicit FINGERPOST_INLINE wide_codes(const code_view& codes) : codes_(codes) {}

    // Writes the numbers of 16 codes. codes(i) returns the 8 codes from index i. Returns a mask of the escape
    // codes.
    template <class Codes>
    FINGERPOST_INLINE std::uint64_t write_both_8(std::uint32_t* out, Codes codes) const {
        const __m256i count = _mm256_set1_epi32(static_cast<int>(codes_.region_count));
        const __m256i escape = _mm256_set1_epi32(static_cast<int>(codes_.escape));
        std::uint64_t escaped = 0;
        unroll<2>([&](auto half) FINGERPOST_LAMBDA {
            const __m256i code = codes(half.value * 8);
            const __m256i region = _mm256_min_epu32(code, count);
            __m256i answer = _mm256_sub_epi32(code, region);
            // A 0 follows the regions, so only regions need a lookup. Most groups have no region, or only
            // regions.
            if (_mm256_movemask_epi8(_mm256_cmpeq_epi32(region, count)) != -1)
                answer = _mm256_add_epi32(
                    answer, _mm256_i32gather_epi32(reinterpret_cast<const int*>(codes_.regions), region, 4));
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + half.value * 8), answer);
            const __m256 is_escape = _mm256_castsi256_ps(_mm256_cmpeq_epi32(code, escape));
            escaped |= static_cast<std::uint64_t>(_mm256_movemask_ps(is_escape)) << (half.value * 8);
        });
        return escaped;
    }
    FINGERPOST_INLINE std::uint64_t write_16(std::uint32_t* out, const std::uint32_t* codes) const {
        return write_both_8(out, [&](std::size_t i) FINGERPOST_LAMBDA { return load(codes + i); });
    }
    static FINGERPOST_INLINE __m256i load(const void* from) {
        return _mm256_loadu_si256(static_cast<const __m256i*>(from));
    }

  private:
    code_view codes_;
};
#else
class wide_codes {
  public:
    explicit FINGERPOST_INLINE wide_codes(const code_view& codes) : codes_(codes) {}

    // Writes the numbers of the 16 codes `code(0)` to `code(15)`. Returns a mask of the escape codes.
    template <class Code>
    FINGERPOST_INLINE std::uint64_t write_each(std::uint32_t* out, Code code) const {
        std::uint64_t escaped = 0;
        for (std::size_t i = 0; i < 16; ++i) {
            const std::uint32_t c = code(i);
            out[i] = codes_.number_of(c);
            escaped |= std::uint64_t{c == codes_.escape} << i;
        }
        return escaped;
    }
    FINGERPOST_INLINE std::uint64_t write_16(std::uint32_t* out, const std::uint32_t* codes) const {
        return write_each(out, [&](std::size_t i) FINGERPOST_LAMBDA { return codes[i]; });
    }

  private:
    code_view codes_;
};
#endif

} // namespace
} // namespace fingerpost::cells
