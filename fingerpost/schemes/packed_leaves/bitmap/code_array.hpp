// Numbers in the arrays of packed leaves: answer codes of one, two or four bytes, and the keys of lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "fingerpost/base/cxx20.hpp"
#include "fingerpost/schemes/packed_leaves/view.hpp"

namespace fingerpost::packed_leaves {

// A number of one, two or four bytes in host order.
template <class Word>
std::uint32_t get_word(const std::byte* at) {
    Word word;
    std::memcpy(&word, at, sizeof word);
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

// All ones is never a stored end, because a line does not store its last end.
inline constexpr std::uint32_t no_key = ~std::uint32_t{0};
inline std::uint32_t key_at(const std::byte* line, std::size_t slot) {
    return get_word<std::uint32_t>(line + slot * sizeof(std::uint32_t));
}
// The number of keys in a line.
inline unsigned keys_in(const std::byte* line, std::size_t slots) {
    unsigned count = 0;
    for (std::size_t i = 0; i < slots; ++i)
        count += key_at(line, i) != no_key ? 1 : 0;
    return count;
}
// Where the children of a node start.
inline std::uint32_t first_child_of(const std::byte* node) {
    return key_at(node, node_shape::keys);
}

// Writes many codes, side by side.
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

// Replaces `from` by `to` in `count` neighbouring codes. Returns whether there were any.
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
    return with_word_of(bytes, [&](auto word) { return recode_words<decltype(word)>(at, count, from, to); });
}

} // namespace fingerpost::packed_leaves
