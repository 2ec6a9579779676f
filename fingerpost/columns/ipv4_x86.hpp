// Parses IPv4 addresses in a vector of 16 characters, without a loop over them.
#pragma once

#include <cstdint>
#include <immintrin.h>

#include "fingerpost/columns/column_rows.hpp"
#include "fingerpost/simd/inline.hpp"

namespace fingerpost::columns {
namespace {

// Keeps a constant in a register during a loop. Even with free registers, g++ would recompute it in each
// iteration. The empty assembly hides the value from g++.
template <class Vector>
FINGERPOST_INLINE FINGERPOST_TEXTS_TARGET Vector constant(Vector value) {
#if FINGERPOST_KERNELS_FOR_AVX512
    __asm__("" : "+v"(value));
#endif
    return value;
}

class ipv4_texts {
  public:
    FINGERPOST_INLINE FINGERPOST_TEXTS_TARGET ipv4_texts()
        : zero_(constant(_mm_set1_epi8('0'))), nine_(constant(_mm_set1_epi8(9))),
          spread_(constant(_mm_setr_epi8(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3))),
          behind_(constant(_mm_set1_epi32(0x01010100))),
          before_(constant(_mm_set1_epi32(static_cast<int>(0xfcfffefd)))),
          weights_(constant(_mm_set1_epi32(0x00'01'0a'64))), ones_(constant(_mm_set1_epi16(1))),
          gather_(constant(_mm_setr_epi8(12, 8, 4, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1))),
          beyond_(constant(_mm_set1_epi32(~0xff))) {}

    // `in` has `size` characters, up to 15, and `dots` is the mask of the dots. `places_of` returns the
    // positions of the lowest four bits of a mask, one byte each, in the first bytes of a vector. Returns
    // false if the text is not an address.
    template <class Places>
    FINGERPOST_INLINE FINGERPOST_TEXTS_TARGET bool parse(__m128i in, unsigned dots, unsigned size,
                                                         Places places_of, ipv4_address& out) const {
        const __m128i values = _mm_sub_epi8(in, zero_);
        const unsigned mask = _bzhi_u32(0xffff, size);
        const unsigned digits = bits(_mm_cmpeq_epi8(_mm_min_epu8(values, nine_), values)) & mask;
        const unsigned zeros = bits(_mm_cmpeq_epi8(values, _mm_setzero_si128()));
        const unsigned starts = dots << 1 | 1;
        const unsigned ends = dots | 1u << size;
        const unsigned pairs = digits & digits >> 1;
        // Only digits and dots, four octets, no empty octet, no octet of four digits, no leading zero.
        const auto count = static_cast<unsigned>(_mm_popcnt_u32(dots));
        if ((((digits | dots) ^ mask) | (count ^ 3) | (starts & ends) | (pairs & pairs >> 2) |
             (zeros & starts & digits >> 1)) != 0)
            return false;
        // Put each octet in 4 bytes: hundreds, tens, ones, and a zero. A position before the start of the
        // octet gets its top bit set, for which the shuffle returns zero.
        const __m128i end_places = places_of(ends);
        const __m128i start_places = _mm_add_epi8(_mm_slli_epi32(end_places, 8), behind_);
        const __m128i positions = _mm_add_epi8(_mm_shuffle_epi8(end_places, spread_), before_);
        const __m128i first = _mm_shuffle_epi8(start_places, spread_);
        const __m128i places = _mm_or_si128(positions, _mm_cmpgt_epi8(first, positions));
        const __m128i sums =
            _mm_madd_epi16(_mm_maddubs_epi16(_mm_shuffle_epi8(values, places), weights_), ones_);
        out.value = static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_shuffle_epi8(sums, gather_)));
        return _mm_testz_si128(sums, beyond_) != 0;
    }

    static FINGERPOST_INLINE FINGERPOST_TEXTS_TARGET unsigned bits(__m128i bytes) {
        return static_cast<unsigned>(_mm_movemask_epi8(bytes));
    }

  private:
    __m128i zero_, nine_, spread_, behind_, before_, weights_, ones_, gather_, beyond_;
};

// Dual-stack sockets print IPv4 addresses with the prefix `::ffff:`.
constexpr unsigned mapped_start_size = 7;
constexpr unsigned shortest_mapped = mapped_start_size + 7;
constexpr unsigned longest_mapped = mapped_start_size + 15;

// `text` has at least 8 characters.
FINGERPOST_INLINE FINGERPOST_TEXTS_TARGET bool starts_mapped(const char* text) {
    std::uint64_t start;
    __builtin_memcpy(&start, text, sizeof start);
    // Accepts upper and lower case.
    return (start << 8 | 0x0020'2020'2000'0000) == 0x3a66'6666'663a'3a00;
}

} // namespace
} // namespace fingerpost::columns
