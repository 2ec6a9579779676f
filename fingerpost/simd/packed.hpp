// Packed leaves as their kernels see them: a root over the first 16 bits, nodes and leaves of one cache line.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fingerpost::simd {

// How many bits after the first 16 decide in the lines below the root: the width of every key there.
enum class packed_keys : std::uint8_t { one_byte, two_bytes, four_bytes };
inline constexpr std::size_t packed_key_widths = 3;
// The width of an answer code in a leaf.
enum class packed_answers : std::uint8_t { one_byte, two_bytes, four_bytes };
inline constexpr std::size_t packed_answer_widths = 3;

inline constexpr unsigned packed_line = 64;

// Where things lie in the two kinds of lines, for a width of keys and of answer codes in bytes.
//
// A leaf: `leaf_keys` inclusive ends in ascending order, unused ones all ones, then at `answers_at` one code
// more than keys. The last interval of a leaf has no key; where it ends the next leaf starts.
//
// A node: the inclusive ends of its children but the last, unused ones all ones, then at `base_at` the offset
// in bytes of the first child (u32); children lie side by side. One-byte keys part at most 20 leaves a block,
// so a node of 16 or 32 bytes is enough for them.
struct packed_shape {
    unsigned leaf_keys;
    unsigned answers_at;
    unsigned node_bytes;
    unsigned node_keys;

    constexpr unsigned leaf_intervals() const { return leaf_keys + 1; }
    constexpr unsigned node_children() const { return node_keys + 1; }
    constexpr unsigned base_at() const { return node_bytes - 4; }
};

constexpr packed_shape shape_of(unsigned key_bytes, unsigned answer_bytes) {
    packed_shape shape{};
    shape.leaf_keys = (packed_line - answer_bytes) / (key_bytes + answer_bytes);
    shape.answers_at = packed_line - (shape.leaf_keys + 1) * answer_bytes; // at the end, so aligned
    shape.node_bytes = key_bytes > 1 ? 64 : answer_bytes < 4 ? 16 : 32;
    shape.node_keys = (shape.node_bytes - 4) / key_bytes;
    return shape;
}
static_assert(shape_of(4, 2).leaf_keys == 10 && shape_of(4, 2).answers_at == 42);
static_assert(shape_of(1, 2).leaf_keys == 20 && shape_of(1, 2).node_children() * 21 >= 256);
static_assert(shape_of(1, 1).node_children() * 32 >= 256 && shape_of(1, 4).node_children() * 13 >= 256);

// What the first 16 bits lead to: the offset of a node, or 0 when they alone decide. `addend` is added to the
// code that the leaf gives: minus one below a node, the next hop where there is none (node 0 and leaf 0 yield
// code 0).
struct packed_root_entry {
    std::uint32_t node;
    std::uint32_t addend;
};

struct packed_view {
    const std::uint32_t* top = nullptr; // by the first byte: index of its 256 root entries
    const packed_root_entry* root = nullptr;
    const std::byte* nodes = nullptr;
    const std::byte* leaves = nullptr;
};

// Writes the next hop of each address, next_hop::none or the escape mark.
using packed_batch = void (*)(const packed_view&, const void* addresses, std::uint32_t* out,
                              std::size_t count) noexcept;
// Below a node, without the root: the code minus one. `key` is right aligned.
using packed_walk = std::uint32_t (*)(const packed_view&, std::uint32_t node, std::uint32_t key) noexcept;

// Node levels that are compiled, at least one: 256, 2^16 and 2^32 intervals a block need no more than these
// with the fewest keys a line (20 leaves; 31^3 leaves; 16^6 leaves of 8, a limit that the builder checks).
template <unsigned KeyBytes>
inline constexpr unsigned packed_level_counts = KeyBytes == 1   ? 1
                                                : KeyBytes == 2 ? 3
                                                                : 6;

struct packed_kernels {
    static constexpr unsigned most_levels = packed_level_counts<4>;
    bool signed_keys; // the top bit of every key is stored flipped
    // By input form, key width, answer width and levels - 1; null where the form is too narrow for the keys.
    packed_batch batch[3][packed_key_widths][packed_answer_widths][most_levels];
    packed_walk walk[packed_answer_widths][most_levels]; // keys of four bytes
};

} // namespace fingerpost::simd
