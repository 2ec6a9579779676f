// The steps down a tree, and the kernels of walk.hpp. Included by files that are compiled for each
// instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/fib/parts/cells/packed_lines.hpp"
#include "fingerpost/fib/parts/cells/walk.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/vec.hpp"

namespace fingerpost::cells {
namespace {

using namespace simd;

template <unsigned Bytes>
struct word_of;
template <>
struct word_of<1> {
    using type = std::uint8_t;
};
template <>
struct word_of<2> {
    using type = std::uint16_t;
};
template <>
struct word_of<4> {
    using type = std::uint32_t;
};
template <unsigned Bytes>
using word = typename word_of<Bytes>::type;

template <class T>
FINGERPOST_INLINE T load_word(const std::byte* at) {
    T value;
    __builtin_memcpy(&value, at, sizeof value);
    return value;
}

using key_lane = vec::lane<std::uint32_t>;

// Returns the child of a node for `key`. A child of the last level is a leaf.
FINGERPOST_INLINE std::uint32_t step_down(const std::byte* lines, std::uint32_t node, key_lane key) {
    const std::byte* line = lines + node;
    const auto child = static_cast<std::uint32_t>(vec::below<std::uint32_t, node_shape::keys>(line, key));
    return load_word<std::uint32_t>(line + node_shape::base_at) + child * line_bytes;
}
// Returns the place of the code for `key` in a leaf.
template <unsigned CodeBytes>
FINGERPOST_INLINE const std::byte* code_place(const std::byte* lines, std::uint32_t leaf, key_lane key) {
    constexpr leaf_shape shape = leaf_shape_for(CodeBytes);
    const std::byte* line = lines + leaf;
    const std::uint64_t slot = vec::below<std::uint32_t, shape.keys>(line, key);
    return line + shape.codes_at + slot * CodeBytes;
}
template <unsigned CodeBytes>
FINGERPOST_INLINE std::uint32_t leaf_code(const std::byte* lines, std::uint32_t leaf, key_lane key) {
    return load_word<word<CodeBytes>>(code_place<CodeBytes>(lines, leaf, key));
}

template <unsigned CodeBytes>
std::uint32_t walk_tree(const std::byte* lines, std::uint32_t node, unsigned levels,
                        std::uint32_t key) noexcept {
    const key_lane x = vec::broadcast_key<std::uint32_t>(key);
    for (unsigned level = 0; level < levels; ++level)
        node = step_down(lines, node, x);
    return leaf_code<CodeBytes>(lines, node, x);
}

} // namespace
} // namespace fingerpost::cells
