// Packed trees: nodes and leaves of one cache line each, consecutive in one array.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/base/inline_vector.hpp"
#include "fingerpost/fib/parts/cells/interval_editor.hpp"
#include "fingerpost/fib/parts/cells/packed_lines.hpp"

namespace fingerpost::cells {

// A range of keys, both ends included.
struct key_range {
    std::uint32_t low;
    std::uint32_t high;
};
// A tree, or a node of a tree, by its offset, and the keys that lead to it.
struct tree_ref {
    std::uint32_t offset;
    std::uint32_t first;
    std::uint32_t last;
};

// A tree is identified by the byte offset of its first node, which stays the same until pack(). Throws
// std::bad_alloc if memory runs out, and std::length_error if offsets run out or if a tree cannot hold this
// many intervals.
class tree_store {
  public:
    tree_store() = default;
    // Every tree has `levels` levels of nodes. Reserves memory for a total of `intervals`. Until shrink(),
    // leaves are created with room for `slack` more intervals for each 256. Tests pass a lower limit of
    // lines.
    tree_store(unsigned code_bytes, unsigned levels, std::size_t intervals, unsigned slack = 0,
               std::size_t most_lines = line_store::most);

    unsigned levels() const noexcept { return levels_; }
    const std::byte* data() const noexcept { return lines_.data(); }
    std::span<const std::byte> bytes() const noexcept { return lines_.bytes(); }
    std::size_t memory_bytes() const noexcept { return lines_.memory_bytes(); }
    std::size_t used_lines() const noexcept { return lines_.used(); }
    // Memory that a rebuild would free: unused lines and leaf slots.
    std::size_t idle_bytes() const noexcept { return lines_.idle_bytes() + emptied_bytes(); }
    // The part of it that remains after packing trees.
    std::size_t emptied_bytes() const noexcept {
        const std::size_t emptied =
            lines_.unused_slots() > built_unused_ ? lines_.unused_slots() - built_unused_ : 0;
        return emptied * line_store::line / lines_.most_in_leaf();
    }
    // Number of intervals that a tree can hold.
    std::size_t capacity() const noexcept { return capacity_below(0); }
    static std::size_t capacity(unsigned levels, unsigned code_bytes) noexcept;

    // Creates a tree over consecutive intervals. The last one reaches to the end of the tree's keys, and its
    // end is not stored. `ends` are keys, the inclusive ends.
    std::uint32_t make(std::span<const std::uint32_t> ends, std::span<const std::uint32_t> codes);
    void rewrite(std::uint32_t tree, std::span<const std::uint32_t> ends,
                 std::span<const std::uint32_t> codes);
    void erase(std::uint32_t tree);
    // Replaces the code `from` by `to` in every interval of a tree.
    void recode(std::uint32_t tree, std::uint32_t from, std::uint32_t to) { recode_level(tree, 0, from, to); }
    // Sets the code of these keys in a tree with two levels of nodes. Rewrites one leaf, or the leaves of a
    // few nodes if that leaf is full or if fewer leaves would suffice. Calls `visit` for the parts of the
    // keys that had the code `visited`. Returns false, and changes nothing, if the tree may be too small.
    template <class Visit>
    bool assign(tree_ref tree, key_range keys, std::uint32_t code, std::uint32_t visited, Visit visit) {
        if (assign_in_leaf(tree, keys, code, visited))
            return true;
        const child_range changing = read_children(tree, keys);
        if (changing.from == changing.to)
            return false;
        changed_.each_with(visited, keys.low, keys.high, visit);
        changed_.assign(keys.low, keys.high, code);
        replace_children(tree.offset, tree.last, changing);
        return true;
    }
    // Code of one key in a tree.
    std::uint32_t code_of(tree_ref tree, std::uint32_t key) const;
    // Appends the intervals of a tree. The last one ends at `last`.
    void read(std::uint32_t tree, std::uint32_t last, std::vector<std::uint32_t>& ends,
              std::vector<std::uint32_t>& codes) const {
        read_level(tree, 0, last, ends, codes);
    }

    // Becomes a copy of `active`, and takes over its free lists: only the store that synced last may be
    // changed. `were_same`: the last sync of `active` was from this store.
    void sync_from(tree_store& active, bool were_same);

    // Moves lines together until none between them is free, in the same order. `trees` are all existing
    // trees. Returns the new number of each line, indexed by its old number.
    std::vector<std::uint32_t> pack(std::span<const std::uint32_t> trees);
    // Frees the memory that the trees do not need. From now on trees may change.
    void shrink();

  private:
    // Children of a first node from `from` up to, but not including, `to`.
    struct child_range {
        std::size_t from;
        std::size_t to;
    };
    // Items of a leaf, at most 13, and two that a change adds.
    using few_items = inline_vector<std::uint32_t, 16>;
    using few_intervals = interval_editor<std::uint32_t, few_items, few_items>;
    // Division of intervals among the children of a node: this many for each child except the last, or
    // evenly.
    struct division {
        std::size_t children;
        std::size_t each;
    };

    std::size_t capacity_below(unsigned level) const noexcept;
    // Until shrink(), leaves are filled as tightly as possible, except for the slack.
    bool is_new() const noexcept { return most_unused_ == 0; }
    bool may_split() const noexcept { return lines_.unused_slots() + lines_.most_in_leaf() < most_unused_; }
    division divide(std::size_t intervals, unsigned level) const;
    void write(std::uint32_t offset, unsigned level, std::span<const std::uint32_t> ends,
               std::span<const std::uint32_t> codes);
    void write_children(std::uint32_t offset, unsigned level, division into, std::uint32_t first,
                        std::span<const std::uint32_t> ends, std::span<const std::uint32_t> codes);
    void read_level(std::uint32_t offset, unsigned level, std::uint32_t last,
                    std::vector<std::uint32_t>& ends, std::vector<std::uint32_t>& codes) const;
    void recode_level(std::uint32_t offset, unsigned level, std::uint32_t from, std::uint32_t to);
    void free_below(std::uint32_t node, unsigned level);
    void keep_below(std::uint32_t node, unsigned level, std::vector<std::uint32_t>& places) const;
    void find_children(std::uint32_t node, unsigned level, std::span<const std::uint32_t> places);

    tree_ref child_over(const tree_ref& node, std::uint32_t key) const noexcept;
    bool assign_in_leaf(tree_ref at, key_range keys, std::uint32_t code, std::uint32_t visited);
    std::size_t intervals_below(std::uint32_t node) const noexcept;
    // Slack in the leaves of a node.
    std::size_t slack_below(std::uint32_t node) const noexcept;
    child_range read_children(const tree_ref& tree, key_range keys);
    void replace_children(std::uint32_t tree, std::uint32_t last, child_range old);
    void set_most_unused() noexcept;

    line_store lines_;
    unsigned levels_ = 1;
    unsigned slack_ = 0;
    // Number of intervals for which leaves have slack: after building, and the threshold above which a change
    // may join leaves.
    std::size_t built_unused_ = 0;
    std::size_t most_unused_ = 0;
    interval_editor<std::uint32_t> changed_; // for assign(), to avoid allocations
};

} // namespace fingerpost::cells
