// Parses a text in one 64-byte vector, with instructions that move bytes across the whole vector (AVX-512
// VBMI and VBMI2). Handles IPv4, and IPv6 without a dotted quad or with one after `::ffff:`.
// docs/inside/columns.md explains the steps.
#pragma once

#include <array>
#include <cstdint>
#include <immintrin.h>

#include "fingerpost/columns/column_rows.hpp"
#include "fingerpost/columns/groups_x86.hpp"
#include "fingerpost/columns/ipv4_x86.hpp"
#include "fingerpost/simd/inline.hpp"

namespace fingerpost::columns {
namespace {

// Value of a hexadecimal digit, 0 for a colon, and the top bit for all other characters.
constexpr std::array<std::uint8_t, 128> make_hex_table() {
    std::array<std::uint8_t, 128> table{};
    table.fill(0x80);
    for (unsigned i = 0; i < 16; ++i)
        table[static_cast<unsigned char>("0123456789abcdef"[i])] =
            table[static_cast<unsigned char>("0123456789ABCDEF"[i])] = static_cast<std::uint8_t>(i);
    table[':'] = 0;
    return table;
}
alignas(64) constexpr std::array<std::uint8_t, 128> hex_table = make_hex_table();

constexpr std::array<std::uint8_t, 64> make_places() {
    std::array<std::uint8_t, 64> places{};
    for (unsigned i = 0; i < 64; ++i)
        places[i] = static_cast<std::uint8_t>(i);
    return places;
}
alignas(64) constexpr std::array<std::uint8_t, 64> all_places = make_places();

class texts {
  public:
    static constexpr bool complete = false;

    FINGERPOST_INLINE FINGERPOST_TEXTS_TARGET texts()
        : low_table_(constant(_mm512_load_si512(hex_table.data()))),
          high_table_(constant(_mm512_load_si512(hex_table.data() + 64))),
          places_(constant(_mm512_load_si512(all_places.data()))), colon_(constant(_mm512_set1_epi8(':'))),
          top_bit_(constant(_mm512_set1_epi8(static_cast<char>(0x80)))), dot_(constant(_mm_set1_epi8('.'))),
          behind_(constant(_mm_set1_epi64x(0x0101'0101'0101'0100))),
          spread_(constant(_mm256_setr_epi8(7, 7, 7, 7, 6, 6, 6, 6, 5, 5, 5, 5, 4, 4, 4, 4, //
                                            3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0))),
          before_(constant(_mm256_set1_epi32(static_cast<int>(0xfcfdfeff)))),
          weights_(constant(_mm256_set1_epi16(0x1001))) {}

    FINGERPOST_INLINE FINGERPOST_TEXTS_TARGET row_state parse(const piece& text, ipv4_address& ipv4,
                                                              ipv6_address& ipv6) const {
        // Shorter texts are invalid or `::`; longer texts are invalid or have a dotted quad.
        if (text.size - 2 > 37)
            return row_state::bad;
        const auto size = static_cast<unsigned>(text.size);
        const std::uint64_t mask = _bzhi_u64(~std::uint64_t{0}, size);
        // Reads nothing past the text. The vector is zero there.
        const __m512i in = _mm512_maskz_loadu_epi8(mask, text.at);
        const __m128i head = _mm512_castsi512_si128(in);
        const unsigned dots = ipv4_texts::bits(_mm_cmpeq_epi8(head, dot_));
        if (dots == 0)
            return parse_ipv6(in, mask, size, ipv6) ? row_state::ipv6 : row_state::bad;
        const auto places_of = [this](unsigned selected) FINGERPOST_LAMBDA FINGERPOST_TEXTS_TARGET {
            return _mm_maskz_compress_epi8(static_cast<__mmask16>(selected), _mm512_castsi512_si128(places_));
        };
        if (size <= 15 && ipv4_.parse(head, dots, size, places_of, ipv4))
            return row_state::ipv4;
        if (size >= shortest_mapped && size <= longest_mapped && starts_mapped(text.at)) {
            const char* const quad_at = text.at + mapped_start_size;
            const unsigned quad_size = size - mapped_start_size;
            const __m128i quad =
                _mm_maskz_loadu_epi8(static_cast<__mmask16>(_bzhi_u32(0xffff, quad_size)), quad_at);
            const unsigned quad_dots = ipv4_texts::bits(_mm_cmpeq_epi8(quad, dot_));
            ipv4_address last;
            if (ipv4_.parse(quad, quad_dots, quad_size, places_of, last)) {
                ipv6.value = u128{0xffff} << 32 | last.value;
                return row_state::ipv6;
            }
        }
        return row_state::bad;
    }

  private:
    FINGERPOST_INLINE FINGERPOST_TEXTS_TARGET bool parse_ipv6(__m512i in, std::uint64_t mask, unsigned size,
                                                              ipv6_address& out) const {
        const __m512i values = _mm512_permutex2var_epi8(low_table_, in, high_table_);
        const std::uint64_t colons = bits(_mm512_cmpeq_epi8_mask(in, colon_));
        const std::uint64_t unknown =
            bits(_mm512_mask_test_epi8_mask(mask, _mm512_or_si512(values, in), top_bit_));
        ipv6_groups groups;
        if (!find_groups(mask, colons, unknown, size, groups))
            return false;
        const __m128i ends = _mm512_castsi512_si128(_mm512_maskz_compress_epi8(groups.ends, places_));
        const __m128i starts = _mm_add_epi8(_mm_slli_epi64(ends, 8), behind_);
        // Groups before the gap are the first of eight groups, and groups after it are the last. The others
        // end and start at 0. Without a gap, all groups count as first groups.
        const std::uint64_t behind_gap = (groups.count - 1 - groups.before_gap) & 63;
        const auto moved =
            static_cast<__mmask16>(_bzhi_u32(0xff, static_cast<unsigned>(groups.before_gap) + 1) |
                                   (std::uint64_t{0xff00} >> behind_gap & 0xff));
        const __m256i positions = _mm256_add_epi8(in_fours(_mm_maskz_expand_epi8(moved, ends)), before_);
        const __m256i first = in_fours(_mm_maskz_expand_epi8(moved, starts));
        // Put each group in 4 bytes, from the last digit of the text to the first, which is the byte order of
        // a number. A position before the start of the group gives zero. Position 0 contains a colon unless a
        // group starts there.
        const __m512i digits = _mm512_maskz_permutexvar_epi8(_mm256_cmpge_epi8_mask(positions, first),
                                                             _mm512_castsi256_si512(positions), values);
        const __m128i octets =
            _mm256_cvtepi16_epi8(_mm256_maddubs_epi16(_mm512_castsi512_si256(digits), weights_));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(&out), octets);
        return true;
    }

    FINGERPOST_INLINE FINGERPOST_TEXTS_TARGET __m256i in_fours(__m128i places) const {
        return _mm256_permutexvar_epi8(spread_, _mm256_castsi128_si256(places));
    }
    // g++ 12 copies a mask to a general register for each use. The empty assembly forces a single copy.
    static FINGERPOST_INLINE FINGERPOST_TEXTS_TARGET std::uint64_t bits(__mmask64 mask) {
        std::uint64_t copied = mask;
        __asm__("" : "+r"(copied));
        return copied;
    }

    ipv4_texts ipv4_;
    __m512i low_table_, high_table_, places_, colon_, top_bit_;
    __m128i dot_, behind_;
    __m256i spread_, before_, weights_;
};

} // namespace
} // namespace fingerpost::columns
