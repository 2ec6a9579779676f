// Cache lines of packed trees: the layout of nodes and leaves, and the allocation of lines.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "fingerpost/base/dirty_list.hpp"
#include "fingerpost/base/memory.hpp"
#include "fingerpost/fib/parts/cells/codes.hpp"
#include "fingerpost/fib/parts/cells/free_extents.hpp"
#include "fingerpost/simd/stored_key.hpp"

namespace fingerpost::cells {

inline constexpr unsigned line_bytes = 64;
// Keys are 32 consecutive bits of an address, right aligned.
inline constexpr unsigned key_bits = 32;

// A node has up to 15 keys, the inclusive ends of its children except the last one. Unused keys are all ones
// (as returned by key_at()). The offset of the first child follows at `base_at`; children are consecutive.
// Offsets are in bytes from the first line.
struct node_shape {
    static constexpr unsigned keys = 15;
    static constexpr unsigned children = keys + 1;
    static constexpr unsigned base_at = keys * 4;
};
static_assert(node_shape::base_at + 4 == line_bytes);

// A leaf has `keys` inclusive ends in ascending order, where unused ones are all ones, then at `codes_at` one
// more code than keys. The last interval has no key, because it ends where the next leaf starts.
struct leaf_shape {
    unsigned keys;
    unsigned codes_at;

    constexpr unsigned intervals() const { return keys + 1; }
};
constexpr leaf_shape leaf_shape_for(unsigned code_bytes) {
    const unsigned keys = (line_bytes - code_bytes) / (4 + code_bytes);
    return {keys, line_bytes - (keys + 1) * code_bytes}; // codes at the end, so they are aligned
}
static_assert(leaf_shape_for(2).keys == 10 && leaf_shape_for(2).codes_at == 42);

// For lookups: three constants are cheaper than a division.
inline leaf_shape leaf_shape_of(unsigned code_bytes) {
    return with_word_of(code_bytes, [](auto word) { return leaf_shape_for(sizeof word); });
}

// All ones is never a stored end, because a line does not store its last end.
inline constexpr std::uint32_t no_key = ~std::uint32_t{0};
// Keys are stored with their top bit flipped (simd/stored_key.hpp).
inline std::uint32_t key_at(const std::byte* line, std::size_t slot) {
    return simd::stored_key(get_word<std::uint32_t>(line + slot * sizeof(std::uint32_t)));
}
// Number of the first `slots` keys, at most node_shape::keys, that are below `key`. Loads the whole line and
// has no branches on data, for GPUs.
inline unsigned keys_below(const std::byte* line, unsigned slots, std::uint32_t key) {
    std::array<std::uint32_t, line_bytes / 4> words;
    std::memcpy(words.data(), std::assume_aligned<line_bytes>(line), line_bytes);
    unsigned below = 0;
    for (unsigned slot = 0; slot < node_shape::keys; ++slot)
        below +=
            static_cast<unsigned>(slot < slots) & static_cast<unsigned>(simd::stored_key(words[slot]) < key);
    return below;
}
// Number of keys in a line.
inline unsigned keys_in(const std::byte* line, std::size_t slots) {
    unsigned count = 0;
    for (std::size_t i = 0; i < slots; ++i)
        count += key_at(line, i) != no_key ? 1 : 0;
    return count;
}
// Offset of the first child of a node.
inline std::uint32_t first_child_of(const std::byte* node) {
    return get_word<std::uint32_t>(node + node_shape::base_at);
}

inline constexpr std::size_t most_children = node_shape::children;

// Offset of line i of the lines from offset `first`.
constexpr std::uint32_t offset_of(std::uint32_t first, std::size_t i) noexcept {
    return first + static_cast<std::uint32_t>(i * line_bytes);
}
constexpr std::size_t ratio_up(std::size_t a, std::size_t b) noexcept {
    return (a + b - 1) / b;
}

// Lines are identified by their byte offset, so the array can be copied or mapped anywhere. Throws
// std::bad_alloc if memory runs out, std::length_error if offsets do. Nothing has changed then.
class line_store {
  public:
    static constexpr std::size_t line = line_bytes;
    // Every offset is a 32-bit number.
    static constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max() / line;

    line_store() = default;
    // Tests pass a lower limit.
    explicit line_store(unsigned code_bytes, std::size_t most_lines = most)
        : shape_(leaf_shape_for(code_bytes)), code_bytes_(code_bytes), most_(most_lines) {}

    const std::byte* data() const noexcept { return lines_.data(); }
    std::span<const std::byte> bytes() const noexcept { return lines_.span().first(used_ * line); }
    std::size_t memory_bytes() const noexcept { return lines_.memory_bytes() + written_.memory_bytes(); }
    std::size_t most_lines() const noexcept { return most_; }
    std::size_t used() const noexcept { return used_ - free_.total(); }
    // Memory of unused lines.
    std::size_t idle_bytes() const noexcept { return lines_.memory_bytes() - used() * line; }
    std::size_t most_in_leaf() const noexcept { return shape_.intervals(); }
    // Number of intervals for which leaves have room.
    std::size_t unused_slots() const noexcept { return unused_; }

    // Allocates consecutive lines.
    std::uint32_t allocate(std::size_t count);
    void release(std::uint32_t first, std::size_t count) { free_.give(first / line, count); }
    void copy(std::uint32_t to, std::uint32_t from) {
        written_.add(to / line);
        std::memcpy(lines_.data() + to, lines_.data() + from, line);
    }
    // The only function that adds lines and therefore checks the limit.
    void reserve(std::size_t lines);
    // Frees the memory after the used lines.
    void shrink();
    // Moves lines towards the start, in order, and removes those with places[line] == 0. `places` is indexed
    // by line number and returns the new line numbers. Nodes still refer to the old offsets of their
    // children.
    void close_up(std::vector<std::uint32_t>& places);
    // Like tree_store::sync_from().
    void sync_from(line_store& active, bool were_same);

    std::uint32_t child_of(std::uint32_t node, std::size_t i) const noexcept {
        return first_child_of(at(node)) + static_cast<std::uint32_t>(i * line);
    }
    std::size_t children_of(std::uint32_t node) const noexcept {
        return keys_in(at(node), node_shape::keys) + 1;
    }
    // End of a child, except the last one; no_key after it.
    std::uint32_t end_of(std::uint32_t node, std::size_t child) const noexcept {
        return key_at(at(node), child);
    }
    void write_node(std::uint32_t node, std::span<const std::uint32_t> child_ends, std::uint32_t first_child);
    void move_children(std::uint32_t node, std::uint32_t first_child) noexcept {
        std::memcpy(lines_.data() + node + node_shape::base_at, &first_child, sizeof first_child);
    }

    std::size_t intervals_in(std::uint32_t leaf) const noexcept { return keys_in(at(leaf), shape_.keys) + 1; }
    std::size_t slack_in(std::uint32_t leaf) const noexcept { return most_in_leaf() - intervals_in(leaf); }
    // Appends the intervals of a leaf. The last one ends at `last`.
    template <class List>
    void read_leaf(std::uint32_t leaf, std::uint32_t last, List& ends, List& codes) const {
        const std::size_t old = ends.size();
        ends.resize(old + most_in_leaf());
        codes.resize(old + most_in_leaf());
        const std::size_t count = read(leaf, last, ends.data() + old, codes.data() + old);
        ends.resize(old + count);
        codes.resize(old + count);
    }
    // Appends the intervals of all leaves of a node.
    void read_leaves(std::uint32_t node, std::uint32_t last, std::vector<std::uint32_t>& ends,
                     std::vector<std::uint32_t>& codes) const;
    void write_leaf(std::uint32_t leaf, std::span<const std::uint32_t> ends,
                    std::span<const std::uint32_t> codes);
    // Replaces the code `from` by `to` in a leaf.
    void recode_leaf(std::uint32_t leaf, std::uint32_t from, std::uint32_t to);
    // Call it before a leaf is rewritten or released.
    void leave_leaf(std::uint32_t leaf) noexcept { unused_ -= slack_in(leaf); }

  private:
    const std::byte* at(std::uint32_t offset) const noexcept { return lines_.data() + offset; }
    // Writes most_in_leaf() ends and codes, starting with the intervals of the leaf, and returns their
    // number.
    std::size_t read(std::uint32_t leaf, std::uint32_t last, std::uint32_t* ends,
                     std::uint32_t* codes) const noexcept;
    void move_to(std::size_t lines);

    leaf_shape shape_{};
    unsigned code_bytes_ = 1;
    std::size_t most_ = most;
    aligned_array<std::byte> lines_;
    std::size_t used_ = 0; // lines from the start that were ever allocated
    free_extents free_;
    std::size_t unused_ = 0;
    dirty_list written_; // numbers of lines
};

} // namespace fingerpost::cells
