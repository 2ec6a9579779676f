// The characters of a text in vectors of 16 and 32 bytes, with tests on all of them in parallel.
#pragma once

#include <cstdint>
#include <immintrin.h>

#include "fingerpost/columns/column_rows.hpp"
#include "fingerpost/simd/inline.hpp"

namespace fingerpost::columns {
namespace {

// The first 48 characters from the start of a text. Bytes past its end are undefined.
class chars {
  public:
    // True if 48 bytes can be read.
    static FINGERPOST_INLINE bool readable(const piece& text) { return text.limit - text.at >= 48; }

    explicit FINGERPOST_INLINE chars(const piece& text)
        : at_(text.at), low_(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at_))), high_(load(2)) {}

    // First 16 characters.
    FINGERPOST_INLINE __m128i head() const { return _mm256_castsi256_si128(low_); }

    // Returns one bit for each character.
    FINGERPOST_INLINE std::uint64_t colons() const {
        return bits(_mm256_cmpeq_epi8(low_, _mm256_set1_epi8(':')),
                    _mm_cmpeq_epi8(high_, _mm_set1_epi8(':')));
    }
    FINGERPOST_INLINE std::uint64_t hex_or_colons() const {
        // In ASCII, the colon follows the digits. Upper and lower case differ in one bit.
        const __m256i digits = _mm256_sub_epi8(low_, _mm256_set1_epi8('0'));
        const __m256i letters =
            _mm256_sub_epi8(_mm256_or_si256(low_, _mm256_set1_epi8(0x20)), _mm256_set1_epi8('a'));
        const __m128i digits_2 = _mm_sub_epi8(high_, _mm_set1_epi8('0'));
        const __m128i letters_2 = _mm_sub_epi8(_mm_or_si128(high_, _mm_set1_epi8(0x20)), _mm_set1_epi8('a'));
        return bits(
            _mm256_or_si256(_mm256_cmpeq_epi8(_mm256_min_epu8(digits, _mm256_set1_epi8(10)), digits),
                            _mm256_cmpeq_epi8(_mm256_min_epu8(letters, _mm256_set1_epi8(5)), letters)),
            _mm_or_si128(_mm_cmpeq_epi8(_mm_min_epu8(digits_2, _mm_set1_epi8(10)), digits_2),
                         _mm_cmpeq_epi8(_mm_min_epu8(letters_2, _mm_set1_epi8(5)), letters_2)));
    }

    // Returns the characters at 32 positions below 48. Position 255 gives zero.
    FINGERPOST_INLINE __m256i pick(__m256i places) const {
        // A shuffle uses the low bits of a position and returns zero if its top bit is set. So there is one
        // shuffle for each 16 characters, and positions outside its range get the top bit set.
        const __m256i first = _mm256_adds_epu8(places, _mm256_set1_epi8(0x70));
        const __m256i second =
            _mm256_adds_epu8(_mm256_sub_epi8(places, _mm256_set1_epi8(16)), _mm256_set1_epi8(0x70));
        const __m256i third =
            _mm256_adds_epu8(_mm256_sub_epi8(places, _mm256_set1_epi8(32)), _mm256_set1_epi8(0x70));
        return _mm256_or_si256(
            _mm256_or_si256(_mm256_shuffle_epi8(twice(0), first), _mm256_shuffle_epi8(twice(1), second)),
            _mm256_shuffle_epi8(twice(2), third));
    }

  private:
    FINGERPOST_INLINE __m128i load(unsigned sixteenth) const {
        return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at_) + sixteenth);
    }
    FINGERPOST_INLINE __m256i twice(unsigned sixteenth) const {
        return _mm256_broadcastsi128_si256(load(sixteenth));
    }
    static FINGERPOST_INLINE std::uint64_t bits(__m256i low, __m128i high) {
        return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
               static_cast<std::uint64_t>(_mm_movemask_epi8(high)) << 32;
    }

    const char* at_;
    __m256i low_;
    __m128i high_;
};

} // namespace
} // namespace fingerpost::columns
