// Changes packed trees: rewrites one leaf, or the leaves of some nodes.
#include <algorithm>
#include <array>
#include <utility>

#include "fingerpost/fib/parts/cells/trees.hpp"

namespace fingerpost::cells {
tree_ref tree_store::child_over(const tree_ref& node, std::uint32_t key) const noexcept {
    std::size_t i = 0;
    while (i < node_shape::keys && lines_.end_of(node.offset, i) < key)
        ++i;
    const bool is_last = i == node_shape::keys || lines_.end_of(node.offset, i) == no_key;
    return {lines_.child_of(node.offset, i), i == 0 ? node.first : lines_.end_of(node.offset, i - 1) + 1,
            is_last ? node.last : lines_.end_of(node.offset, i)};
}

std::uint32_t tree_store::code_of(tree_ref tree, std::uint32_t key) const {
    tree_ref at = tree;
    for (unsigned level = 0; level < levels_; ++level)
        at = child_over(at, key);
    few_intervals run;
    lines_.read_leaf(at.offset, at.last, run.ends, run.codes);
    return run.code_of(key);
}

// Changes the one leaf that contains these keys. Returns false, and changes nothing, if there are several, if
// something must be visited, or if the leaves of the node must be rewritten: the leaf is full, or fewer
// leaves would suffice.
bool tree_store::assign_in_leaf(tree_ref at, key_range keys, std::uint32_t code, std::uint32_t visited) {
    tree_ref node = at;
    for (unsigned level = 0; level < levels_; ++level) {
        node = at;
        at = child_over(at, keys.low);
    }
    if (keys.high > at.last)
        return false;
    few_intervals run;
    run.first = at.first;
    lines_.read_leaf(at.offset, at.last, run.ends, run.codes);
    if (std::find(run.codes.begin(), run.codes.end(), visited) != run.codes.end())
        return false;
    const std::size_t old = run.size();
    run.assign(keys.low, keys.high, code);
    if (run.size() > lines_.most_in_leaf())
        return false;
    // The node might need one leaf less.
    const std::size_t removed = run.size() < old ? old - run.size() : 0;
    if (removed > 0 && lines_.unused_slots() + removed > most_unused_ &&
        slack_below(node.offset) + removed >= lines_.most_in_leaf())
        return false;
    lines_.leave_leaf(at.offset);
    lines_.write_leaf(at.offset, run.ends, run.codes);
    return true;
}

std::size_t tree_store::intervals_below(std::uint32_t node) const noexcept {
    const std::size_t children = lines_.children_of(node);
    std::size_t intervals = 0;
    for (std::size_t i = 0; i < children; ++i)
        intervals += lines_.intervals_in(lines_.child_of(node, i));
    return intervals;
}
std::size_t tree_store::slack_below(std::uint32_t node) const noexcept {
    return lines_.children_of(node) * lines_.most_in_leaf() - intervals_below(node);
}

// Reads everything below those children of a first node that contain these keys, and below as many of their
// neighbours as a change needs to find slack. Returns an empty range if there may be none.
tree_store::child_range tree_store::read_children(const tree_ref& tree, key_range keys) {
    const std::size_t children = lines_.children_of(tree.offset);
    const auto end_of = [&](std::size_t i) {
        return i + 1 < children ? lines_.end_of(tree.offset, i) : tree.last;
    };
    std::size_t from = 0;
    while (end_of(from) < keys.low)
        ++from;
    std::size_t to = from;
    changed_.clear();
    const auto add_right = [&] {
        lines_.read_leaves(lines_.child_of(tree.offset, to), end_of(to), changed_.ends, changed_.codes);
        ++to;
    };
    const auto add_left = [&] {
        interval_editor<std::uint32_t> joined;
        --from;
        lines_.read_leaves(lines_.child_of(tree.offset, from), end_of(from), joined.ends, joined.codes);
        joined.ends.insert(joined.ends.end(), changed_.ends.begin(), changed_.ends.end());
        joined.codes.insert(joined.codes.end(), changed_.codes.begin(), changed_.codes.end());
        changed_ = std::move(joined);
    };
    add_right();
    while (end_of(to - 1) < keys.high)
        add_right();
    const std::size_t most = capacity_below(1);
    constexpr auto none = ~std::size_t{0};
    const auto held_by = [&](std::size_t i) {
        return i < children ? intervals_below(lines_.child_of(tree.offset, i)) : none;
    };
    // A node that is now at most half full is joined with a neighbour, unless the result would be nearly
    // full.
    if (changed_.size() < most / 2) {
        const std::size_t slack = most * 3 / 4 - changed_.size();
        if (held_by(to) <= slack)
            add_right();
        else if (held_by(from - 1) <= slack)
            add_left();
    }
    constexpr std::size_t added = 2; // by a change
    while (children - (to - from) + ratio_up(changed_.size() + added, most) > most_children) {
        if (from == 0 && to == children)
            return {0, 0};
        if (held_by(to) <= held_by(from - 1))
            add_right();
        else
            add_left();
    }
    changed_.first = from > 0 ? end_of(from - 1) + 1 : tree.first;
    return {from, to};
}
// Replaces these children of a first node by as many as the changed intervals need.
void tree_store::replace_children(std::uint32_t tree, std::uint32_t last, child_range old) {
    const auto [from, to] = old;
    for (std::size_t i = from; i < to; ++i) {
        const std::uint32_t node = lines_.child_of(tree, i);
        for (std::size_t leaf = 0; leaf < lines_.children_of(node); ++leaf)
            lines_.leave_leaf(lines_.child_of(node, leaf));
    }
    const std::size_t count = changed_.size();
    const std::size_t needed = ratio_up(count, capacity_below(1));
    if (needed == 1 && to - from == 1) {
        const std::uint32_t node = lines_.child_of(tree, from);
        const division into = divide(count, 1);
        if (into.children == lines_.children_of(node))
            return write_children(node, 1, into, lines_.child_of(node, 0), changed_.ends, changed_.codes);
    }
    const std::size_t before = lines_.children_of(tree);
    const std::size_t after = before - (to - from) + needed;
    const std::uint32_t first = lines_.child_of(tree, 0);
    for (std::size_t i = from; i < to; ++i) {
        const std::uint32_t node = lines_.child_of(tree, i);
        lines_.release(lines_.child_of(node, 0), lines_.children_of(node));
    }
    const std::uint32_t moved = after == before ? first : lines_.allocate(after);
    std::array<std::uint32_t, most_children> keys;
    for (std::size_t i = 0; i < before; ++i)
        if (i < from || i >= to) {
            const std::size_t position = i < from ? i : i - to + from + needed;
            keys[position] = i + 1 < before ? lines_.end_of(tree, i) : last;
            if (moved != first)
                lines_.copy(offset_of(moved, position), offset_of(first, i));
        }
    if (moved != first)
        lines_.release(first, before);
    for (std::size_t n = 0; n < needed; ++n) {
        const std::size_t begin = n * count / needed;
        const std::size_t end = (n + 1) * count / needed;
        write(offset_of(moved, from + n), 1, std::span(changed_.ends).subspan(begin, end - begin),
              std::span(changed_.codes).subspan(begin, end - begin));
        keys[from + n] = changed_.ends[end - 1];
    }
    lines_.write_node(tree, std::span(keys).first(after), moved);
}

} // namespace fingerpost::cells
