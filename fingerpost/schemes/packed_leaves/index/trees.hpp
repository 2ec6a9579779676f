// The trees of packed leaves: nodes above leaves of one cache line each, side by side in one array.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/base/inline_vector.hpp"
#include "fingerpost/schemes/packed_leaves/index/interval_editor.hpp"
#include "fingerpost/schemes/packed_leaves/index/lines.hpp"
#include "fingerpost/schemes/packed_leaves/view.hpp"

namespace fingerpost::packed_leaves {

// Keys, both ends included.
struct key_range {
    std::uint32_t low;
    std::uint32_t high;
};
// A tree, or a node of one, by its offset, and the keys that it is asked for.
struct tree_ref {
    std::uint32_t offset;
    std::uint32_t first;
    std::uint32_t last;
};

// A tree is named by the offset of its first node, in bytes, which stays where it is until pack().
// Throws std::bad_alloc when memory runs out, std::length_error when offsets do or when a tree cannot hold so
// many intervals.
class tree_store {
  public:
    tree_store() = default;
    // Every tree has so many levels of nodes. Reserves memory for so many intervals in all. Until shrink(),
    // trees are made with slack in their leaves for `slack` intervals more for each 256. Fewer lines at most
    // are for tests of what happens then.
    tree_store(unsigned code_bytes, unsigned levels, std::size_t intervals, unsigned slack = 0,
               std::size_t most_lines = line_store::most);

    unsigned levels() const noexcept { return levels_; }
    const std::byte* data() const noexcept { return lines_.data(); }
    std::span<const std::byte> bytes() const noexcept { return lines_.bytes(); }
    std::size_t memory_bytes() const noexcept { return lines_.memory_bytes(); }
    std::size_t used_lines() const noexcept { return lines_.used(); }
    // What building anew may do without: lines that hold nothing, and what leaves hold less than they did.
    std::size_t idle_bytes() const noexcept { return lines_.idle_bytes() + emptied_bytes(); }
    // The part of it that stays when trees are packed.
    std::size_t emptied_bytes() const noexcept {
        const std::size_t emptied = lines_.unused() > built_unused_ ? lines_.unused() - built_unused_ : 0;
        return emptied * line_store::line / lines_.most_in_leaf();
    }
    // How many intervals a tree can hold.
    std::size_t capacity() const noexcept { return capacity_below(0); }
    static std::size_t capacity(unsigned levels, unsigned code_bytes) noexcept;

    // A tree over neighbouring intervals, the last of which reaches to the end of what the tree is asked for:
    // its end is not stored. `ends` are keys, the inclusive ends.
    std::uint32_t make(std::span<const std::uint32_t> ends, std::span<const std::uint32_t> codes);
    void rewrite(std::uint32_t tree, std::span<const std::uint32_t> ends,
                 std::span<const std::uint32_t> codes);
    void erase(std::uint32_t tree);
    // Every interval of a tree that has the code `from` gets the code `to`.
    void recode(std::uint32_t tree, std::uint32_t from, std::uint32_t to) { recode_level(tree, 0, from, to); }
    // Gives these keys of a tree the code, and writes no more of it than the leaf that they fall into or,
    // where that does not do, the leaves of some nodes. The tree has two levels of nodes. `visit` is called
    // with the parts of the keys that had the code `visited`. False, and nothing is done, where the tree may
    // be too small.
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
    // Of one key of a tree.
    std::uint32_t code_of(tree_ref tree, std::uint32_t key) const;
    // Appends the intervals of a tree; `last` is the end of the last one.
    void read(std::uint32_t tree, std::uint32_t last, std::vector<std::uint32_t>& ends,
              std::vector<std::uint32_t>& codes) const {
        read_level(tree, 0, last, ends, codes);
    }

    // Becomes what `active` is. What `active` knows of its free lines passes over to this one: only the one
    // that took over last may be changed. `were_same`: when `active` took over, it was from this one.
    void sync_from(tree_store& active, bool were_same);

    // Moves lines together until none is free between them. `all` are all trees that there are. Returns where
    // each line lies now, by the number it had; the order stays.
    std::vector<std::uint32_t> pack(std::span<const std::uint32_t> all);
    // Keeps no more memory than the trees need. From now on trees change.
    void shrink();

  private:
    // Children of a node, `to` not among them.
    struct child_range {
        std::size_t from;
        std::size_t to;
    };
    // Those of a leaf, at most 13, and two that a change adds.
    using few_items = inline_vector<std::uint32_t, 16>;
    using few_intervals = interval_editor<std::uint32_t, few_items, few_items>;
    using two_leaves = inline_vector<std::uint32_t, 32>;
    // A leaf among the children of its node.
    struct siblings {
        std::uint32_t node;
        std::uint32_t first; // offset of the first one
        std::size_t count;
        std::size_t at;
        std::uint32_t ends[node_shape::children];

        std::uint32_t offset(std::size_t i) const noexcept {
            return first + static_cast<std::uint32_t>(i * line_store::line);
        }
    };
    // How intervals are divided among the children of a node: so many for each but the last, or evenly.
    struct division {
        std::size_t children;
        std::size_t each;
    };

    std::size_t capacity_below(unsigned level) const noexcept;
    // Being built: filled as tight as it goes, but for the slack.
    bool is_new() const noexcept { return most_unused_ == 0; }
    bool may_split() const noexcept { return lines_.unused() + lines_.most_in_leaf() < most_unused_; }
    division divide(std::size_t intervals, unsigned level) const;
    void write(std::uint32_t offset, unsigned level, std::span<const std::uint32_t> ends,
               std::span<const std::uint32_t> codes);
    void write_children(std::uint32_t offset, unsigned level, division into, std::uint32_t first,
                        std::span<const std::uint32_t> ends, std::span<const std::uint32_t> codes);
    void read_level(std::uint32_t offset, unsigned level, std::uint32_t last,
                    std::vector<std::uint32_t>& ends, std::vector<std::uint32_t>& codes) const;
    void recode_level(std::uint32_t offset, unsigned level, std::uint32_t from, std::uint32_t to);
    void free_below(std::uint32_t node, unsigned level);
    void keep_below(std::uint32_t node, unsigned level, std::vector<std::uint32_t>& kept) const;
    void find_children(std::uint32_t node, unsigned level, std::span<const std::uint32_t> now);

    tree_ref child_over(const tree_ref& node, std::uint32_t key) const noexcept;
    bool assign_in_leaf(tree_ref at, key_range keys, std::uint32_t code, std::uint32_t visited);
    siblings siblings_of(const tree_ref& node, std::uint32_t leaf) const noexcept;
    std::size_t slack_in(const siblings& all) const noexcept;
    void read_both(const siblings& all, std::size_t beside, const few_intervals& run, two_leaves& ends,
                   two_leaves& codes) const;
    void write_both(siblings& all, std::size_t left, std::span<const std::uint32_t> ends,
                    std::span<const std::uint32_t> codes);
    bool share(siblings& all, const few_intervals& run);
    bool split(siblings& all, const few_intervals& run);
    bool join(siblings& all, const few_intervals& run);

    std::size_t intervals_below(std::uint32_t node) const noexcept;
    child_range read_children(const tree_ref& tree, key_range keys);
    void replace_children(std::uint32_t tree, std::uint32_t last, child_range old);
    void set_most_unused() noexcept;

    line_store lines_;
    unsigned levels_ = 1;
    unsigned slack_ = 0;
    // Intervals for which leaves have slack: when built, and from how many on a change lets leaves be joined.
    std::size_t built_unused_ = 0;
    std::size_t most_unused_ = 0;
    interval_editor<std::uint32_t> changed_; // of assign(), to take no memory each time
};

} // namespace fingerpost::packed_leaves
