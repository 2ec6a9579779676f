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

// Where things lie in nodes and leaves, for keys of two or four bytes and the width of answer codes.
//
// A leaf: `leaf_keys` inclusive ends in ascending order, unused ones all ones, then at `answers_at` one code
// more than keys. The last interval of a leaf has no key; where it ends the next leaf starts.
//
// A node: the inclusive ends of its children but the last, unused ones all ones, then at `base_at` the
// address of the first child; children lie side by side. An address costs two keys more than an offset would,
// and saves an instruction a step, of which a lookup has no more than thirty.
struct packed_shape {
    unsigned leaf_keys;
    unsigned answers_at;
    unsigned node_keys;

    static constexpr unsigned base_at = packed_line - 8;
    constexpr unsigned leaf_intervals() const { return leaf_keys + 1; }
    constexpr unsigned node_children() const { return node_keys + 1; }
};

constexpr packed_shape shape_of(unsigned key_bytes, unsigned answer_bytes) {
    packed_shape shape{};
    shape.leaf_keys = (packed_line - answer_bytes) / (key_bytes + answer_bytes);
    shape.answers_at = packed_line - (shape.leaf_keys + 1) * answer_bytes; // at the end, so aligned
    shape.node_keys = packed_shape::base_at / key_bytes;
    return shape;
}
static_assert(shape_of(4, 2).leaf_keys == 10 && shape_of(4, 2).answers_at == 42);

// A block with keys of one byte, the node of an IPv4 table: a bit for each of the 256 keys where an interval
// ends, but for the last, and one answer code an interval. The slot is the number of bits before the key.
struct packed_bitmap {
    std::uint64_t ends[4];    // bit i of word w stands for key 64 w + i
    std::uint16_t before[4];  // how many bits are set in the words before
    const std::byte* answers; // of a block with few intervals in `own`
    std::byte own[16];
};
static_assert(sizeof(packed_bitmap) == packed_line);

// What the second byte of an address leads to, in the group that the first byte names: the address of the
// block's first node, and what is to be added to the code that its leaf gives, minus one. Where 16 bits
// decide alone, the node is one without keys that leads to a leaf with code 0, and `addend` is the next hop.
// The address of such a node is an odd multiple of half a node: that bit says that the lane is done, and
// costs nothing to read.
struct packed_group {
    const std::byte* node[256];
    std::uint32_t addend[256];
};

inline constexpr std::uintptr_t packed_done_bit = packed_line / 2;

struct packed_view {
    const packed_group* const* groups = nullptr; // by the first byte of an address
};

// Writes the next hop of each address, next_hop::none or the escape mark.
using packed_batch = void (*)(const packed_view&, const void* addresses, std::uint32_t* out,
                              std::size_t count) noexcept;
// From a block's first node: the code minus one. `key` is right aligned.
using packed_walk = std::uint32_t (*)(const std::byte* node, std::uint32_t key) noexcept;

// Node levels that are compiled, at least one. A block has at most 256 intervals with keys of one byte, which
// are one bitmap, and 2^16 with two: 29^3 leaves are enough for these. With four bytes 15^6 leaves are the
// limit, and the builder checks it.
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
