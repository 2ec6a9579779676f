// Builds, reads and packs trees.
#include "fingerpost/fib/parts/cells/trees.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "fingerpost/fib/parts/cells/proportions.hpp"
#include "fingerpost/fib/parts/cells/walk.hpp"

namespace fingerpost::cells {

const kernel_set& kernels_of(simd::isa which) noexcept {
    return simd::select(which, [](auto tag) -> const kernel_set& { return kernels_for(tag); });
}
namespace {

std::size_t scaled_up(std::size_t leaf_intervals, unsigned levels) {
    while (levels-- > 0)
        leaf_intervals *= most_children;
    return leaf_intervals;
}

} // namespace

tree_store::tree_store(unsigned code_bytes, unsigned levels, std::size_t intervals, unsigned slack,
                       std::size_t most_lines)
    : lines_(code_bytes, most_lines), levels_(levels), slack_(slack) {
    // An estimate, which does not decide whether the trees fit.
    const std::size_t expected =
        levels + 1 + lines_of_uneven_leaves.of(intervals / lines_.most_in_leaf() * (256 + slack) / 256);
    lines_.reserve(std::min(expected, most_lines));
    // The path for addresses that the index resolves, at the start: nodes without keys and a leaf with code
    // 0.
    const std::uint32_t whole[] = {no_key};
    const std::uint32_t none[] = {0};
    (void)make(whole, none);
}

std::size_t tree_store::capacity(unsigned levels, unsigned code_bytes) noexcept {
    return scaled_up(leaf_shape_for(code_bytes).intervals(), levels);
}
std::size_t tree_store::capacity_below(unsigned level) const noexcept {
    return scaled_up(lines_.most_in_leaf(), levels_ - level);
}

std::uint32_t tree_store::make(std::span<const std::uint32_t> ends, std::span<const std::uint32_t> codes) {
    const std::uint32_t first = lines_.allocate(1);
    write(first, 0, ends, codes);
    return first;
}
void tree_store::rewrite(std::uint32_t tree, std::span<const std::uint32_t> ends,
                         std::span<const std::uint32_t> codes) {
    free_below(tree, 0);
    write(tree, 0, ends, codes);
}
void tree_store::erase(std::uint32_t tree) {
    free_below(tree, 0);
    lines_.release(tree, 1);
}

tree_store::division tree_store::divide(std::size_t intervals, unsigned level) const {
    const std::size_t reach = capacity_below(level + 1);
    const std::size_t fewest = ratio_up(intervals, reach);
    if (fewest > most_children)
        throw std::length_error("tree");
    // Leaves are filled evenly, so most have slack for one more interval. A tree that changes gets one more
    // leaf than it needs, for future changes.
    if (!is_new())
        return {fewest < std::min(most_children, intervals) && may_split() ? fewest + 1 : fewest, 0};
    if (level + 1 == levels_) {
        const std::size_t with_slack = ratio_up(intervals + intervals * slack_ / 256, reach);
        return {std::max(fewest, std::min(most_children, with_slack)), 0};
    }
    // The nodes of a new tree are filled one after the other, which takes the fewest lines.
    const std::size_t each = std::max(reach * 256 / (256 + slack_), ratio_up(intervals, most_children));
    return {ratio_up(intervals, each), each};
}

// Fills the node at `offset` and everything below it.
void tree_store::write(std::uint32_t offset, unsigned level, std::span<const std::uint32_t> ends,
                       std::span<const std::uint32_t> codes) {
    if (level == levels_)
        return lines_.write_leaf(offset, ends, codes);
    const division into = divide(ends.size(), level);
    write_children(offset, level, into, lines_.allocate(into.children), ends, codes);
}
// The children of a node are consecutive.
void tree_store::write_children(std::uint32_t offset, unsigned level, division into, std::uint32_t first,
                                std::span<const std::uint32_t> ends, std::span<const std::uint32_t> codes) {
    std::array<std::uint32_t, most_children> keys;
    std::size_t begin = 0;
    for (std::size_t child = 0; child < into.children; ++child) {
        const std::size_t end = into.each == 0 ? (child + 1) * ends.size() / into.children
                                               : std::min(begin + into.each, ends.size());
        write(offset_of(first, child), level + 1, ends.subspan(begin, end - begin),
              codes.subspan(begin, end - begin));
        keys[child] = ends[end - 1];
        begin = end;
    }
    lines_.write_node(offset, std::span(keys).first(into.children), first);
}

void tree_store::read_level(std::uint32_t offset, unsigned level, std::uint32_t last,
                            std::vector<std::uint32_t>& ends, std::vector<std::uint32_t>& codes) const {
    if (level + 1 == levels_)
        return lines_.read_leaves(offset, last, ends, codes);
    const std::size_t children = lines_.children_of(offset);
    for (std::size_t i = 0; i < children; ++i)
        read_level(lines_.child_of(offset, i), level + 1, i + 1 < children ? lines_.end_of(offset, i) : last,
                   ends, codes);
}

void tree_store::recode_level(std::uint32_t offset, unsigned level, std::uint32_t from, std::uint32_t to) {
    if (level == levels_)
        return lines_.recode_leaf(offset, from, to);
    const std::size_t children = lines_.children_of(offset);
    for (std::size_t i = 0; i < children; ++i)
        recode_level(lines_.child_of(offset, i), level + 1, from, to);
}

void tree_store::free_below(std::uint32_t node, unsigned level) {
    const std::size_t children = lines_.children_of(node);
    for (std::size_t i = 0; i < children; ++i)
        if (level + 1 < levels_)
            free_below(lines_.child_of(node, i), level + 1);
        else
            lines_.leave_leaf(lines_.child_of(node, i));
    lines_.release(lines_.child_of(node, 0), children);
}

void tree_store::sync_from(tree_store& active, bool were_same) {
    lines_.sync_from(active.lines_, were_same);
    levels_ = active.levels_;
    slack_ = active.slack_;
    built_unused_ = active.built_unused_;
    most_unused_ = active.most_unused_;
}

void tree_store::keep_below(std::uint32_t node, unsigned level, std::vector<std::uint32_t>& places) const {
    places[node / line_store::line] = 1;
    if (level == levels_)
        return;
    const std::size_t children = lines_.children_of(node);
    for (std::size_t i = 0; i < children; ++i)
        keep_below(lines_.child_of(node, i), level + 1, places);
}
void tree_store::find_children(std::uint32_t node, unsigned level, std::span<const std::uint32_t> places) {
    lines_.move_children(node, places[lines_.child_of(node, 0) / line_store::line]);
    if (level + 1 == levels_)
        return;
    const std::size_t children = lines_.children_of(node);
    for (std::size_t i = 0; i < children; ++i)
        find_children(lines_.child_of(node, i), level + 1, places);
}
std::vector<std::uint32_t> tree_store::pack(std::span<const std::uint32_t> trees) {
    std::vector<std::uint32_t> places(bytes().size() / line_store::line);
    constexpr std::uint32_t way_of_done = 0;
    keep_below(way_of_done, 0, places);
    for (const std::uint32_t tree : trees)
        keep_below(tree, 0, places);
    lines_.close_up(places);
    find_children(way_of_done, 0, places);
    for (const std::uint32_t tree : trees)
        find_children(places[tree / line_store::line], 0, places);
    set_most_unused();
    return places;
}
void tree_store::shrink() {
    lines_.shrink();
    built_unused_ = lines_.unused_slots();
    set_most_unused();
}
void tree_store::set_most_unused() noexcept {
    most_unused_ = built_unused_ + most_unused_slots.of(lines_.used() * lines_.most_in_leaf());
}

} // namespace fingerpost::cells
