// The words of DXR, bit by bit: the content of a direct entry and of a chunk's ranges.
//
//      direct entry    base, 22 bits | fragments f, 10 bits        for the chunk of addresses with these X
//      bits
//
//          f >= P          short ranges, (f & M) + 1 words of two entries each, starting at `base`
//          f = P - 1       word `base` is N - 1; N long entries follow
//          f = P - 2       no ranges: `base` is the code of the answer
//          f < P - 2       f + 1 long entries, starting at word `base`
//
//      long entry, 32 bits     start in the chunk, all of its bits                   | code
//      short entry, 16 bits    start in the chunk without the lowest byte     | code
//
// With 32 bits M = 2^(23 - X) - 1 and P = 1023 & ~M. Starts ascend and the first one is 0, so the last entry
// that starts at or before an address has its answer. If the number of short entries is odd, the last one is
// repeated. Narrow addresses, which only tests use, have the same words with wider codes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/base/bits.hpp"

namespace fingerpost::dxr {

using word = std::uint32_t;

template <class A, unsigned X>
struct format {
    static_assert(A::bits <= 32 && X >= 1 && X < A::bits);
    static constexpr unsigned rest = A::bits - X;                 // bits after those that choose a chunk
    static constexpr unsigned low = A::bits >= 32 ? 8 : rest / 2; // bits that short starts omit
    static constexpr unsigned short_start = rest - low;           // bits of a short start
    static constexpr unsigned long_code = 32 - rest;              // bits of a long entry's code
    static constexpr unsigned short_code = 16 - short_start;      // bits of a short entry's code
    static_assert(short_start >= 1 && short_start <= 10);

    static constexpr unsigned fragment_bits = 10;
    static constexpr unsigned base_bits = 32 - fragment_bits;
    // Number of words that bases can address.
    static constexpr std::size_t most_words = (std::size_t{1} << base_bits) - 1;
    // Codes stay below this, so that they fit into a long entry and into an entry without ranges.
    static constexpr word codes = word{1} << (long_code < base_bits ? long_code : base_bits);

    static constexpr word fragments = low_mask<word>(fragment_bits);
    static constexpr word short_mask = low_mask<word>(short_start - 1);
    static constexpr word shortest = fragments & ~short_mask; // smallest count of a short chunk (P)
    static constexpr word xl = shortest - 1;
    static constexpr word hit = shortest - 2;
    static constexpr std::size_t most_long = shortest - 2; // maximum number without an XL count

    static constexpr word long_mask = low_mask<word>(long_code);
    static constexpr word half = 0xffff; // a short entry; the first of two is in the lower half of a word
    static constexpr word short_code_mask = low_mask<word>(short_code);

    static constexpr word answer_entry(word code) noexcept { return code << fragment_bits | hit; }
    static constexpr word code_of(word entry) noexcept { return entry >> fragment_bits; }
    static constexpr word base_of(word entry) noexcept { return entry >> fragment_bits; }
    static constexpr word fragments_of(word entry) noexcept { return entry & fragments; }
    static constexpr bool is_hit(word entry) noexcept { return fragments_of(entry) == hit; }
    static constexpr bool is_xl(word entry) noexcept { return fragments_of(entry) == xl; }
    static constexpr bool is_short(word entry) noexcept { return fragments_of(entry) >= shortest; }
};

} // namespace fingerpost::dxr
