// Answer codes of one, two or four bytes, side by side in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::packed_leaves {

// A number of one, two or four bytes in host order.
template <class Word>
std::uint32_t get_word(const std::byte* at) {
    Word word;
    std::memcpy(&word, at, sizeof word);
    return word;
}
inline std::uint32_t get_code(const std::byte* at, unsigned bytes) {
    return bytes == 1   ? get_word<std::uint8_t>(at)
           : bytes == 2 ? get_word<std::uint16_t>(at)
                        : get_word<std::uint32_t>(at);
}

// Many of them, side by side.
template <class Word>
void put_words(std::byte* at, std::span<const std::uint32_t> values) {
    for (const std::uint32_t value : values) {
        const auto word = static_cast<Word>(value);
        std::memcpy(at, &word, sizeof word);
        at += sizeof word;
    }
}
inline void put_codes(std::byte* at, std::span<const std::uint32_t> values, unsigned bytes) {
    if (bytes == 1)
        put_words<std::uint8_t>(at, values);
    else if (bytes == 2)
        put_words<std::uint16_t>(at, values);
    else
        put_words<std::uint32_t>(at, values);
}
inline void put_code(std::byte* at, std::uint32_t value, unsigned bytes) {
    put_codes(at, std::span(&value, 1), bytes);
}

// Of `count` codes side by side those that are `from` become `to`. Whether there were any.
template <class Word>
bool recode_words(std::byte* at, std::size_t count, std::uint32_t from, std::uint32_t to) {
    bool found = false;
    for (; count > 0; --count, at += sizeof(Word)) {
        const bool is_meant = get_word<Word>(at) == from;
        found |= is_meant;
        if (is_meant)
            put_words<Word>(at, std::span(&to, 1));
    }
    return found;
}
inline bool recode(std::byte* at, std::size_t count, unsigned bytes, std::uint32_t from, std::uint32_t to) {
    return bytes == 1   ? recode_words<std::uint8_t>(at, count, from, to)
           : bytes == 2 ? recode_words<std::uint16_t>(at, count, from, to)
                        : recode_words<std::uint32_t>(at, count, from, to);
}

} // namespace fingerpost::packed_leaves
