// The layout of small trees: children stand as close as their outlines allow, level by level.
#include "cli/explain/drawing/twigs.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "cli/explain/drawing/figures.hpp"

namespace fingerpost::cli::drawing {
namespace {

constexpr std::size_t deep = 14;

constexpr auto all_details = std::to_array<detail>({
    {3},        {2},        {1},       {0},       {2, 24, 24}, {1, 24, 24}, {2, 12, 16}, {1, 12, 16},
    {2, 8, 12}, {1, 8, 12}, {2, 6, 8}, {1, 6, 8}, {2, 5, 8},   {1, 5, 8},   {2, 4, 8},   {1, 4, 6},
    {2, 3, 6},  {1, 3, 4},  {2, 2, 4}, {1, 2, 4}, {2, 1, 4},   {1, 1, 4},   {2, 1, 2},   {1, 1, 2},
    {2, 1, 1},  {1, 1, 1},  {0, 1, 1}, {1, 1, 0}, {0, 1, 0},
});

struct branch {
    std::optional<std::size_t> index{}; // of the node; none for a count
    figure drawn{};
    std::vector<std::size_t> children{};
    std::size_t on_way = 0; // the number of that child, among the children; as many as they are if none is
    std::size_t level = 0;
    double x = 0; // of the axis; from its parent's while the tree is laid out
};

// How far a tree reaches to both sides of its root's axis, level by level.
struct outline {
    std::vector<double> left{}; // negative on the left
    std::vector<double> right{};
};

class grower {
  public:
    grower(const forest& tree, const detail& how) : tree_(tree), how_(how) {}

    twig grow(std::size_t index, bool has_parent) {
        const std::size_t above = tree_.at(index).is_on_way ? 0 : 1;
        // The parent is the caller's, which knows the slot.
        add(index, above, 0, has_parent ? digits_from_above(index) : "");
        return lay_out();
    }
    twig grow_count(std::size_t count) {
        branches_.push_back({.drawn = count_figure(count)});
        return lay_out();
    }

  private:
    std::string digits_from_above(std::size_t index) const {
        const explained_node& node = *tree_.at(index).node;
        const auto parent = tree_.parent_of(index);
        return parent ? edge_digits(*tree_.at(*parent).node, node) : "";
    }

    // `above`: levels between it and the way of the lookup.
    std::size_t add(std::size_t index, std::size_t above, std::size_t level, const std::string& digits) {
        const tree_node& node = tree_.at(index);
        const std::size_t own = branches_.size();
        branches_.push_back(
            {.index = index, .drawn = figure_of(tree_, index, how_.labels, digits), .level = level});
        levels_ = std::max(levels_, level + 1);
        detail how = how_;
        constexpr std::size_t deepest = 60;
        if (above >= std::min(how.depth, deepest))
            how.near = 0;
        std::vector<std::size_t> children;
        if (node.drawn != form::bucket) {
            const std::size_t missing =
                node.node->children - std::min(node.node->children, node.children.size());
            for (const shown_child& child : shown_children(tree_, node.children, missing, how)) {
                if (child.index) {
                    const bool is_on_way = tree_.at(*child.index).is_on_way;
                    if (is_on_way)
                        branches_[own].on_way = children.size();
                    else if (branches_[own].on_way == children.size())
                        ++branches_[own].on_way;
                    children.push_back(add(*child.index, is_on_way ? 0 : above + 1, level + 1,
                                           edge_digits(*node.node, *tree_.at(*child.index).node)));
                } else {
                    if (branches_[own].on_way == children.size())
                        ++branches_[own].on_way;
                    children.push_back(branches_.size());
                    branches_.push_back({.drawn = count_figure(child.count), .level = level + 1});
                    levels_ = std::max(levels_, level + 2);
                }
            }
        }
        branches_[own].children = std::move(children);
        return own;
    }

    // Children come after their parents, so walking backwards visits them first.
    void place() {
        std::vector<outline> outlines(branches_.size());
        for (std::size_t i = branches_.size(); i-- > 0;) {
            branch& parent = branches_[i];
            outline sum;
            std::vector<double> at;
            for (const std::size_t child : parent.children) {
                outline own = std::move(outlines[child]);
                double x = 0;
                for (std::size_t level = 0; level < std::min(sum.right.size(), own.left.size()); ++level)
                    x = std::max(x, sum.right[level] + how_.between - own.left[level]);
                if (at.empty())
                    x = 0;
                at.push_back(x);
                merge(sum, own, x);
            }
            double axis = at.empty() ? 0 : (at.front() + at.back()) / 2;
            // In an abridged tree the path is a straight line, so that it stays inside the drawing.
            if (how_.near != detail::unlimited && parent.on_way < at.size())
                axis = at[parent.on_way];
            for (std::size_t k = 0; k < at.size(); ++k)
                branches_[parent.children[k]].x = at[k] - axis;
            outline& whole = outlines[i];
            whole.left.reserve(sum.left.size() + 1);
            whole.left.push_back(-parent.drawn.left);
            whole.right.push_back(parent.drawn.right);
            for (std::size_t level = 0; level < sum.left.size(); ++level) {
                whole.left.push_back(sum.left[level] - axis);
                whole.right.push_back(sum.right[level] - axis);
            }
        }
        const outline& whole = outlines.front();
        const double left = *std::min_element(whole.left.begin(), whole.left.end());
        width_ = *std::max_element(whole.right.begin(), whole.right.end()) - left;
        branches_.front().x = -left;
        for (branch& parent : branches_)
            for (const std::size_t child : parent.children)
                branches_[child].x += parent.x;
    }
    static void merge(outline& sum, const outline& own, double x) {
        for (std::size_t level = 0; level < own.left.size(); ++level) {
            if (level < sum.left.size()) {
                sum.left[level] = std::min(sum.left[level], own.left[level] + x);
                sum.right[level] = std::max(sum.right[level], own.right[level] + x);
            } else {
                sum.left.push_back(own.left[level] + x);
                sum.right.push_back(own.right[level] + x);
            }
        }
    }

    twig lay_out() {
        place();
        const double gap = levels_ > deep ? 0 : 12;
        twig out;
        std::vector<double> heights(levels_, 0);
        for (const branch& part : branches_)
            heights[part.level] = std::max(heights[part.level], part.drawn.height);
        double y = 0;
        for (const double height : heights) {
            out.rows.push_back(y);
            y += height + gap;
        }
        out.drawn.width = width_;
        out.drawn.height = y - gap;
        out.drawn.entry = branches_.front().x;
        out.first_edge = branches_.front().drawn.entry;
        for (const bool is_lit : {false, true})
            for (const branch& part : branches_)
                for (const std::size_t child : part.children)
                    put_edge(out, part, branches_[child], gap, is_lit);
        for (branch& part : branches_)
            out.drawn.add(std::move(part.drawn.drawn), {part.x, out.rows[part.level]});
        return out;
    }

    void put_edge(twig& out, const branch& from, const branch& to, double gap, bool is_lit) const {
        const auto step = to.index ? tree_.step_to(*to.index) : std::nullopt;
        if (step.has_value() != is_lit)
            return;
        const double top = out.rows[from.level] + from.drawn.exit, row = out.rows[to.level];
        const double bend = row - gap / 2, bottom = row + to.drawn.entry;
        std::vector<point> way{{from.x, top}};
        if (from.x != to.x) {
            way.push_back({from.x, bend});
            way.push_back({to.x, bend});
        }
        way.push_back({to.x, bottom});
        const std::string to_node =
            to.index ? fmt::format("data-to=\"{}\"", tree_.at(*to.index).node->number) : std::string();
        out.drawn.line(std::move(way), step ? "edge lit" : "edge",
                       step ? to_node + " " + tree_.lit_by(*step) : to_node);
    }

    const forest& tree_;
    const detail& how_;
    std::vector<branch> branches_;
    std::size_t levels_ = 1;
    double width_ = 0;
};

} // namespace

std::span<const detail> details() {
    return all_details;
}

std::vector<shown_child> shown_children(const forest& tree, std::span<const std::size_t> children,
                                        std::size_t missing, const detail& how) {
    std::vector<bool> is_shown(children.size(), how.near == detail::unlimited);
    bool has_way = false;
    const auto show = [&](std::size_t from, std::size_t upto) {
        for (std::size_t i = from; i < std::min(upto, children.size()); ++i)
            is_shown[i] = true;
    };
    for (std::size_t i = 0; i < children.size() && how.near != detail::unlimited; ++i)
        if (tree.at(children[i]).is_on_way) {
            has_way = true;
            show(i - std::min(i, how.near), i + how.near + 1);
        }
    if (!has_way && how.near != detail::unlimited)
        show(0, 2 * how.near);
    std::vector<shown_child> out;
    for (std::size_t i = 0; i < children.size(); ++i) {
        if (is_shown[i])
            out.push_back({children[i], 0});
        else {
            if (out.empty() || out.back().index)
                out.push_back({});
            out.back().count += 1 + tree.at(children[i]).below;
        }
    }
    if (missing > 0) {
        if (out.empty() || out.back().index)
            out.push_back({});
        out.back().count += missing;
    }
    return out;
}

twig twig_of(const forest& tree, std::size_t index, const detail& how, bool has_parent) {
    return grower(tree, how).grow(index, has_parent);
}

twig count_twig(const forest& tree, std::size_t count) {
    return grower(tree, all_details.front()).grow_count(count);
}

} // namespace fingerpost::cli::drawing
