// Parses texts in vectors of 16 and 32 bytes. Handles IPv4, and IPv6 without a dotted quad or with one after
// `::ffff:`. docs/inside/columns.md explains the steps.
#pragma once

#include <cstdint>
#include <immintrin.h>

#include "fingerpost/columns/chars_avx2.hpp"
#include "fingerpost/columns/column_rows.hpp"
#include "fingerpost/columns/groups_x86.hpp"
#include "fingerpost/columns/ipv4_x86.hpp"
#include "fingerpost/simd/inline.hpp"

namespace fingerpost::columns {
namespace {

// Positions of the lowest `Count` bits of a mask, one byte each, the lowest first. 64 for missing bits.
template <unsigned Count>
FINGERPOST_INLINE std::uint64_t places_of_bits(std::uint64_t mask) {
    std::uint64_t places = 0;
    simd::unroll<Count>([&](auto i) FINGERPOST_LAMBDA {
        places |= _tzcnt_u64(mask) << (8 * i.value);
        mask = _blsr_u64(mask);
    });
    return places;
}

class texts {
  public:
    static constexpr bool complete = false;

    FINGERPOST_INLINE row_state parse(const piece& text, ipv4_address& ipv4, ipv6_address& ipv6) const {
        // Shorter texts are invalid or `::`; longer texts are invalid or have a dotted quad. The last texts
        // of a buffer may be too close to its end for whole vectors.
        if (text.size - 2 > 37 || !chars::readable(text))
            return row_state::bad;
        const chars in(text);
        const auto size = static_cast<unsigned>(text.size);
        const unsigned dots = dots_in(in.head(), size);
        if (dots == 0)
            return parse_ipv6(in, size, ipv6) ? row_state::ipv6 : row_state::bad;
        const auto places_of = [](unsigned mask) FINGERPOST_LAMBDA {
            return _mm_cvtsi32_si128(static_cast<int>(places_of_bits<4>(mask)));
        };
        if (size <= 15 && ipv4_.parse(in.head(), dots, size, places_of, ipv4))
            return row_state::ipv4;
        if (size >= shortest_mapped && size <= longest_mapped && starts_mapped(text.at)) {
            const char* const quad_at = text.at + mapped_start_size;
            const unsigned quad_size = size - mapped_start_size;
            const __m128i quad = _mm_loadu_si128(reinterpret_cast<const __m128i*>(quad_at));
            const unsigned quad_dots = dots_in(quad, quad_size);
            ipv4_address last;
            if (ipv4_.parse(quad, quad_dots, quad_size, places_of, last)) {
                ipv6.value = u128{0xffff} << 32 | last.value;
                return row_state::ipv6;
            }
        }
        return row_state::bad;
    }

  private:
    // Finds the dots in the first `size` of 16 characters.
    static FINGERPOST_INLINE unsigned dots_in(__m128i in, unsigned size) {
        return ipv4_texts::bits(_mm_cmpeq_epi8(in, _mm_set1_epi8('.'))) & _bzhi_u32(0xffff, size);
    }

    static FINGERPOST_INLINE bool parse_ipv6(const chars& in, unsigned size, ipv6_address& out) {
        const std::uint64_t mask = _bzhi_u64(~std::uint64_t{0}, size);
        ipv6_groups groups;
        if (!find_groups(mask, in.colons() & mask, mask & ~in.hex_or_colons(), size, groups))
            return false;
        const std::uint64_t ends = places_of_bits<8>(groups.ends);
        const std::uint64_t starts = (ends << 8) + (0x0101'0101'0101'0100 + groups.leading);
        // Groups before the gap are the first of eight groups, and groups after it are the last. The others
        // end and start at 0. Without a gap, all groups count as first groups.
        const std::uint64_t stay =
            _bzhi_u64(~std::uint64_t{0}, 8 * static_cast<unsigned>(groups.before_gap) + 8);
        const std::uint64_t by = 64 - 8 * groups.count;
        const __m256i positions = _mm256_add_epi8(in_fours((ends & stay) | (ends & ~stay) << by),
                                                  _mm256_set1_epi32(static_cast<int>(0xfcfdfeff)));
        const __m256i first = in_fours((starts & stay) | (starts & ~stay) << by);
        // Put each group in 4 bytes, from the last digit of the text to the first, which is the byte order of
        // a number. A position before the start of the group becomes 255, which gives zero.
        const __m256i chars = in.pick(_mm256_or_si256(positions, _mm256_cmpgt_epi8(first, positions)));
        // The low four bits of a letter's code are nine less than its value.
        const __m256i above_nine =
            _mm256_and_si256(_mm256_cmpgt_epi8(chars, _mm256_set1_epi8('9')), _mm256_set1_epi8(9));
        const __m256i digits = _mm256_add_epi8(_mm256_and_si256(chars, _mm256_set1_epi8(15)), above_nine);
        const __m256i octets = _mm256_maddubs_epi16(digits, _mm256_set1_epi16(0x1001));
        const __m128i packed =
            _mm_packus_epi16(_mm256_castsi256_si128(octets), _mm256_extracti128_si256(octets, 1));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(&out), packed);
        return true;
    }

    static FINGERPOST_INLINE __m256i in_fours(std::uint64_t places) {
        const __m256i spread = _mm256_setr_epi8(7, 7, 7, 7, 6, 6, 6, 6, 5, 5, 5, 5, 4, 4, 4, 4, //
                                                3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
        return _mm256_shuffle_epi8(_mm256_set1_epi64x(static_cast<long long>(places)), spread);
    }

    ipv4_texts ipv4_;
};

} // namespace
} // namespace fingerpost::columns
