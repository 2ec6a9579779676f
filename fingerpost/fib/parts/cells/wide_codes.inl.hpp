// Decodes many codes: the last step of a batch, for 16 addresses together. Included by files that are
// compiled for each instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/fib/parts/cells/codes.hpp"
#include "fingerpost/fib/parts/cells/walk.inl.hpp"
#include "fingerpost/simd/inline.hpp"

#if FINGERPOST_KERNELS_FOR_AVX512 || FINGERPOST_KERNELS_FOR_AVX2
#include <immintrin.h>

#include "fingerpost/fib/parts/cells/side_by_side.inl.hpp"
#endif

namespace fingerpost::cells {
namespace {

using namespace simd;

template <unsigned Count>
struct code_list {
    std::uint32_t lanes[Count];
};

// Codes in general registers: any number without vectors, and too few for a vector.
class single_codes {
  public:
    explicit FINGERPOST_INLINE single_codes(const code_view& codes) : codes_(codes) {}

    // Loads the codes of `Bytes` bytes at place(constant<0>) to place(constant<Count - 1>).
    template <unsigned Count, unsigned Bytes, class Place>
    static FINGERPOST_INLINE code_list<Count> load(Place place) {
        code_list<Count> codes;
        unroll<Count>([&](auto lane) FINGERPOST_LAMBDA {
            codes.lanes[lane.value] = load_word<word<Bytes>>(place(lane));
        });
        return codes;
    }
    template <unsigned Count>
    static FINGERPOST_INLINE code_list<Count> sum(code_list<Count> a, const code_list<Count>& b) {
        unroll<Count>([&](auto lane) FINGERPOST_LAMBDA { a.lanes[lane.value] += b.lanes[lane.value]; });
        return a;
    }
    // Writes the numbers of codes to two places, the first half of them to `out`. Returns a mask of the
    // escape codes.
    template <unsigned Count>
    FINGERPOST_INLINE std::uint64_t write_halves(std::uint32_t* out, std::uint32_t* upper,
                                                 const code_list<Count>& codes) const {
        constexpr unsigned lower = (Count + 1) / 2;
        std::uint64_t escaped = 0;
        unroll<Count>([&](auto lane) FINGERPOST_LAMBDA {
            constexpr unsigned i = decltype(lane)::value;
            const std::uint32_t code = codes.lanes[i];
            (i < lower ? out[i] : upper[i - lower]) = codes_.number_of(code);
            escaped |= std::uint64_t{code == codes_.escape} << i;
        });
        return escaped;
    }

  protected:
    code_view codes_;
};

#if FINGERPOST_KERNELS_FOR_AVX512
class wide_codes : public single_codes {
  public:
    using group = __m512i; // 16 codes

    // The answers of the first regions stay in registers.
    explicit FINGERPOST_INLINE wide_codes(const code_view& codes)
        : single_codes(codes), low_(_mm512_loadu_si512(codes.regions)),
          high_(_mm512_loadu_si512(codes.regions + 16)) {}

    // Loads 16 codes as a group, 8 as half of one, and fewer as a list.
    template <unsigned Count, unsigned Bytes, class Place>
    static FINGERPOST_INLINE auto load(Place place) {
        if constexpr (Count == 16) {
            const __m256i low = load_8_codes<Bytes, 0>(place);
            const __m256i high = load_8_codes<Bytes, 8>(place);
            return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
        } else if constexpr (Count == 8) {
            return load_8_codes<Bytes, 0>(place);
        } else {
            return single_codes::load<Count, Bytes>(place);
        }
    }
    using single_codes::sum;
    static FINGERPOST_INLINE group sum(group a, group b) { return _mm512_add_epi32(a, b); }
    static FINGERPOST_INLINE __m256i sum(__m256i a, __m256i b) { return _mm256_add_epi32(a, b); }
    static FINGERPOST_INLINE unsigned all_ones(group codes) {
        return _mm512_cmpeq_epi32_mask(codes, _mm512_set1_epi32(-1));
    }
    static FINGERPOST_INLINE unsigned all_ones(__m256i codes) {
        return _mm256_cmpeq_epi32_mask(codes, _mm256_set1_epi32(-1));
    }

    // Writes the numbers of 16 codes. Returns a mask of the escape codes.
    FINGERPOST_INLINE std::uint64_t write_16(std::uint32_t* out, group code) const {
        _mm512_storeu_si512(out, answers(code));
        return escapes(code);
    }
    FINGERPOST_INLINE std::uint64_t write_16(std::uint32_t* out, const std::uint32_t* codes) const {
        return write_16(out, _mm512_loadu_si512(codes));
    }

    using single_codes::write_halves;
    FINGERPOST_INLINE std::uint64_t write_halves(std::uint32_t* out, std::uint32_t* upper, group code) const {
        const __m512i answer = answers(code);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm512_castsi512_si256(answer));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(upper), _mm512_extracti64x4_epi64(answer, 1));
        return escapes(code);
    }
    FINGERPOST_INLINE std::uint64_t write_halves(std::uint32_t* out, std::uint32_t* upper,
                                                 __m256i code) const {
        const __m512i wide_code = _mm512_zextsi256_si512(code); // the escape is never 0
        const __m256i answer = _mm512_castsi512_si256(answers(wide_code));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm256_castsi256_si128(answer));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(upper), _mm256_extracti128_si256(answer, 1));
        return escapes(wide_code);
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
    __m512i low_;
    __m512i high_;
};
#elif FINGERPOST_KERNELS_FOR_AVX2
class wide_codes : public single_codes {
  public:
    // 16 codes.
    struct group {
        __m256i low;
        __m256i high;
    };

    using single_codes::single_codes;

    // Loads 16 codes as a group, 8 as half of one, and fewer as a list.
    template <unsigned Count, unsigned Bytes, class Place>
    static FINGERPOST_INLINE auto load(Place place) {
        if constexpr (Count == 16)
            return group{load_8_codes<Bytes, 0>(place), load_8_codes<Bytes, 8>(place)};
        else if constexpr (Count == 8)
            return load_8_codes<Bytes, 0>(place);
        else
            return single_codes::load<Count, Bytes>(place);
    }
    using single_codes::sum;
    static FINGERPOST_INLINE __m256i sum(__m256i a, __m256i b) { return _mm256_add_epi32(a, b); }
    static FINGERPOST_INLINE group sum(const group& a, const group& b) {
        return {sum(a.low, b.low), sum(a.high, b.high)};
    }
    static FINGERPOST_INLINE unsigned all_ones(__m256i codes) {
        return equal_words(codes, _mm256_set1_epi32(-1));
    }
    static FINGERPOST_INLINE unsigned all_ones(const group& codes) {
        return all_ones(codes.low) | all_ones(codes.high) << 8;
    }

    // Writes the numbers of 16 codes. Returns a mask of the escape codes.
    FINGERPOST_INLINE std::uint64_t write_16(std::uint32_t* out, const group& code) const {
        return write_halves(out, out + 8, code);
    }
    FINGERPOST_INLINE std::uint64_t write_16(std::uint32_t* out, const std::uint32_t* codes) const {
        return write_16(out, group{load_8(codes), load_8(codes + 8)});
    }
    using single_codes::write_halves;
    FINGERPOST_INLINE std::uint64_t write_halves(std::uint32_t* out, std::uint32_t* upper,
                                                 const group& code) const {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), answers(code.low));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(upper), answers(code.high));
        return escapes(code.low) | escapes(code.high) << 8;
    }
    FINGERPOST_INLINE std::uint64_t write_halves(std::uint32_t* out, std::uint32_t* upper,
                                                 __m256i code) const {
        const __m256i answer = answers(code);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm256_castsi256_si128(answer));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(upper), _mm256_extracti128_si256(answer, 1));
        return escapes(code);
    }

    // See code_view::number_of(). Most groups have no region, or only regions.
    FINGERPOST_INLINE __m256i answers(__m256i code) const {
        const __m256i count = _mm256_set1_epi32(static_cast<int>(codes_.region_count));
        const __m256i region = _mm256_min_epu32(code, count);
        const __m256i number = _mm256_sub_epi32(code, region);
        const __m256i is_other = _mm256_cmpeq_epi32(region, count);
        if (_mm256_movemask_epi8(is_other) == -1)
            return number;
        if (codes_.region_count > least_regions) [[unlikely]] // a 0 follows the regions
            return _mm256_add_epi32(
                number, _mm256_i32gather_epi32(reinterpret_cast<const int*>(codes_.regions), region, 4));
        return _mm256_blendv_epi8(first_regions(code), number, is_other);
    }
    FINGERPOST_INLINE std::uint64_t escapes(__m256i code) const {
        return equal_words(code, _mm256_set1_epi32(static_cast<int>(codes_.escape)));
    }
    static FINGERPOST_INLINE __m256i load_8(const void* from) {
        return _mm256_loadu_si256(static_cast<const __m256i*>(from));
    }

  private:
    static FINGERPOST_INLINE unsigned equal_words(__m256i a, __m256i b) {
        return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(a, b))));
    }
    // The answers of the first regions: four tables of 8, indexed by the last three bits of a code and chosen
    // by the two bits before. A gather takes three times as long on Zen 4.
    FINGERPOST_INLINE __m256i first_regions(__m256i code) const {
        const auto from_table = [&](unsigned i) FINGERPOST_LAMBDA {
            return _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(load_8(codes_.regions + i * 8), code));
        };
        const auto sign = [&](int bit) FINGERPOST_LAMBDA {
            return _mm256_castsi256_ps(_mm256_slli_epi32(code, 31 - bit));
        };
        const __m256 low = _mm256_blendv_ps(from_table(0), from_table(1), sign(3));
        const __m256 high = _mm256_blendv_ps(from_table(2), from_table(3), sign(3));
        return _mm256_castps_si256(_mm256_blendv_ps(low, high, sign(4)));
    }
};
#else
class wide_codes : public single_codes {
  public:
    using group = code_list<16>;

    using single_codes::single_codes;

    static FINGERPOST_INLINE unsigned all_ones(const group& codes) {
        unsigned mask = 0;
        for (unsigned i = 0; i < 16; ++i)
            mask |= unsigned{codes.lanes[i] == ~std::uint32_t{0}} << i;
        return mask;
    }

    // Writes the numbers of 16 codes. Returns a mask of the escape codes.
    FINGERPOST_INLINE std::uint64_t write_16(std::uint32_t* out, const group& codes) const {
        return write_16(out, codes.lanes);
    }
    FINGERPOST_INLINE std::uint64_t write_16(std::uint32_t* out, const std::uint32_t* codes) const {
        std::uint64_t escaped = 0;
        for (std::size_t i = 0; i < 16; ++i) {
            out[i] = codes_.number_of(codes[i]);
            escaped |= std::uint64_t{codes[i] == codes_.escape} << i;
        }
        return escaped;
    }
};
#endif

} // namespace
} // namespace fingerpost::cells
