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

} // namespace fingerpost::packed_leaves
