// Codes: small numbers that mean a next hop, a region, or "not resolved here" (the escape), and their storage
// in arrays, in one, two or four bytes each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::cells {

inline constexpr std::size_t code_widths = 3; // codes of 1, 2 and 4 bytes

// Meaning of codes. Codes below `region_count` are regions (regions.hpp): `regions` has the answer of each,
// followed by a 0. Other codes are the number of a next hop plus region_count. `escape` is the code of
// addresses that only the long-prefix levels can resolve.
inline constexpr std::uint32_t least_regions = 32; // as many as two AVX-512 vectors hold
struct code_view {
    const std::uint32_t* regions = nullptr;
    std::uint32_t region_count = least_regions;
    std::uint32_t escape = 0;

    // Number of the next hop, or all ones for no route.
    std::uint32_t number_of(std::uint32_t code) const noexcept {
        const std::uint32_t region = code < region_count ? code : region_count;
        return regions[region] + (code - region);
    }
};

// Handling of addresses with the escape code. `resolve` is called for up to 64 neighbouring addresses
// directly after their results were written, with a bit set in `escaped` for each such address.
inline constexpr std::size_t batch_block = 64;
struct code_rules {
    code_view codes;
    const void* self;
    void (*resolve)(const void* self, const void* addresses, std::uint32_t* out,
                    std::uint64_t escaped) noexcept;
};

// Loads a number of one, two or four bytes in host order. Numbers are aligned, because GPUs load others byte
// by byte.
template <class Word>
std::uint32_t get_word(const std::byte* at) {
    Word word;
    std::memcpy(&word, std::assume_aligned<alignof(Word)>(at), sizeof word);
    return word;
}
// Returns run(0), where 0 has the type with this many bytes.
template <class Run>
auto with_word_of(unsigned bytes, Run run) {
    return bytes == 1 ? run(std::uint8_t{}) : bytes == 2 ? run(std::uint16_t{}) : run(std::uint32_t{});
}
inline std::uint32_t get_code(const std::byte* at, unsigned bytes) {
    return with_word_of(bytes, [at](auto word) { return std::uint32_t{get_word<decltype(word)>(at)}; });
}

// Writes consecutive codes.
template <class Word>
void put_words(std::byte* at, std::span<const std::uint32_t> values) {
    for (const std::uint32_t value : values) {
        const auto word = static_cast<Word>(value);
        std::memcpy(at, &word, sizeof word);
        at += sizeof word;
    }
}
inline void put_codes(std::byte* at, std::span<const std::uint32_t> values, unsigned bytes) {
    with_word_of(bytes, [&](auto word) { put_words<decltype(word)>(at, values); });
}
inline void put_code(std::byte* at, std::uint32_t value, unsigned bytes) {
    put_codes(at, std::span(&value, 1), bytes);
}

// Replaces `from` by `to` in `count` consecutive codes. Returns whether there were any.
template <class Word>
bool recode_words(std::byte* at, std::size_t count, std::uint32_t from, std::uint32_t to) {
    bool any = false;
    for (; count > 0; --count, at += sizeof(Word)) {
        const bool is_meant = get_word<Word>(at) == from;
        any |= is_meant;
        if (is_meant)
            put_words<Word>(at, std::span(&to, 1));
    }
    return any;
}
inline bool recode(std::byte* at, std::size_t count, unsigned bytes, std::uint32_t from, std::uint32_t to) {
    return with_word_of(bytes, [&](auto word) { return recode_words<decltype(word)>(at, count, from, to); });
}

} // namespace fingerpost::cells
