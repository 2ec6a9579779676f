// A node that is drawn in full has a row of its small children below it, in the order of their slots, and
// then the children that are drawn in full: a single one at the end of a gap in the row, several in a list.
#include "cli/explain/drawing/structure.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

#include "cli/explain/drawing/boxes.hpp"
#include "cli/explain/drawing/cell_rows.hpp"
#include "cli/explain/drawing/twigs.hpp"
#include "cli/writers/grouped.hpp"

namespace fingerpost::cli::drawing {
namespace {

constexpr double between = 12;   // trees in a row
constexpr double way_width = 16; // of the gap in a row through which an edge goes
constexpr double indent = 18;    // of nodes in a list
constexpr double list_gap = 12;

// A tree in a row, a count, or the gap for the edge to a child that is drawn in full.
struct item {
    std::optional<std::size_t> index{};
    bool is_gap = false;
    twig drawn{};
    double x = 0;
    double width() const { return is_gap ? way_width : drawn.drawn.width; }
    double axis() const { return x + (is_gap ? way_width / 2 : drawn.drawn.entry); }
};

class layouter {
  public:
    layouter(const forest& tree, double width) : tree_(tree), whole_width_(width) {}

    piece lay_out() {
        const std::vector<std::size_t>& roots = tree_.roots();
        if (roots.size() == 1) {
            if (tree_.at(roots[0]).is_spread) {
                spread(roots[0], 0, whole_width_, std::nullopt);
            } else {
                put_row(roots, 0, 0, whole_width_, nullptr, nullptr);
            }
            return take();
        }
        std::vector<std::size_t> small;
        for (const std::size_t root : roots) {
            if (!tree_.at(root).is_spread) {
                small.push_back(root);
                continue;
            }
            spread(root, 0, whole_width_, std::nullopt);
            y_ += list_gap;
        }
        if (!small.empty())
            put_row(small, 0, 0, whole_width_, nullptr, nullptr);
        return take();
    }

  private:
    piece take() {
        piece out;
        out.add(std::move(edges_), {0, 0});
        out.add(std::move(lit_edges_), {0, 0});
        out.add(std::move(nodes_), {0, 0});
        out.width = std::max(whole_width_, widest_);
        out.height = y_;
        return out;
    }

    void put_edge(std::size_t to, std::vector<point> way, bool is_curve) {
        const auto step = tree_.step_to(to);
        piece& out = step ? lit_edges_ : edges_;
        std::string attributes = fmt::format("data-to=\"{}\"", tree_.at(to).node->number);
        if (step)
            attributes += " " + tree_.lit_by(*step);
        const std::string classes = step ? "edge lit" : "edge";
        if (is_curve)
            out.curve(std::move(way), classes, attributes);
        else
            out.line(std::move(way), classes, attributes);
    }

    // At x = `left` or, with `axis`, where that falls on it; then y_ is below all of it.
    void spread(std::size_t index, double left, double right, std::optional<double> axis) {
        const tree_node& node = tree_.at(index);
        piece box = full_box(tree_, index, right - left);
        const double width = box.width, height = box.height;
        constexpr double corner = 12;
        double x = left;
        if (axis && *axis > left + width - corner)
            x = std::min(*axis - width / 2, right - width);
        point corner_at{x, y_};
        auto exits = std::move(box.exits);
        for (auto& [slot, place] : exits)
            place = {place.x + corner_at.x, place.y + corner_at.y};
        nodes_.add(std::move(box), corner_at);
        y_ += height;
        if (node.drawn == form::bucket || node.drawn == form::dot)
            exits.clear();
        if (node.drawn == form::bucket || (node.children.empty() && node.node->children == 0))
            return;
        below(index, {x, y_}, width, exits, left, right);
    }

    struct box_place {
        point lower_left{};
        double width = 0;
    };

    void below(std::size_t index, point lower_left, double width, const std::map<std::uint64_t, point>& exits,
               double left, double right) {
        const tree_node& node = tree_.at(index);
        const box_place box{lower_left, width};
        std::vector<std::size_t> full;
        for (const std::size_t child : node.children)
            if (tree_.at(child).is_spread)
                full.push_back(child);
        const std::size_t missing = node.node->children - std::min(node.node->children, node.children.size());
        const bool is_list = full.size() > 1;
        std::vector<std::size_t> row = node.children;
        if (is_list)
            std::erase_if(row, [&](std::size_t child) { return tree_.at(child).is_spread; });
        double axis = lower_left.x + 16;
        const double row_left = is_list ? left + indent : left;
        if (full.size() == 1 && row.size() == 1 && missing == 0) {
            const auto exit = exits.find(tree_.at(full[0]).node->slot);
            const point from = exit == exits.end() ? point{axis, lower_left.y} : exit->second;
            axis = std::clamp(from.x, left + 8, right - 8);
            const double top = lower_left.y;
            y_ += 26;
            put_edge(full[0], {from, {axis, top + 26}}, true);
        } else if (!row.empty() || missing > 0) {
            axis = put_row(row, missing, row_left, right, &exits, &box);
        }
        if (!is_list) {
            for (const std::size_t child : full)
                spread(child, left, right, axis);
            return;
        }
        for (const std::size_t child : full) {
            y_ += list_gap;
            const double bus = left + 7;
            put_edge(child, {{bus, lower_left.y}, {bus, y_ + 14}, {left + indent, y_ + 14}}, false);
            spread(child, left + indent, right, std::nullopt);
        }
    }

    // Trees in a row; with a box above, edges lead from there. Returns the axis of the gap, if there is one.
    double put_row(const std::vector<std::size_t>& children, std::size_t missing, double left, double right,
                   const std::map<std::uint64_t, point>* exits, const box_place* box) {
        std::vector<item> items = fitting(children, missing, right - left, box != nullptr);
        const auto exit_of = [&](const item& part) {
            const auto exit = part.index ? exits->find(tree_.at(*part.index).node->slot) : exits->end();
            return exit == exits->end()
                       ? point{box->lower_left.x + std::min(box->width / 2, 60.0), box->lower_left.y}
                       : exit->second;
        };
        double free = left, farthest = 0;
        // A single tree is centered.
        if (box == nullptr && items.size() == 1)
            free = std::max(left, (left + right - items[0].width()) / 2);
        for (item& part : items) {
            part.x = free;
            if (box != nullptr && part.index)
                part.x = std::max(free, exit_of(part).x - (part.axis() - part.x));
            free = part.x + part.width() + between;
        }
        double sum = -between;
        for (const item& part : items)
            sum += part.width() + between;
        double limit = std::max(right, left + sum);
        widest_ = std::max(widest_, limit);
        for (std::size_t i = items.size(); i-- > 0;) {
            items[i].x = std::min(items[i].x, limit - items[i].width());
            limit = items[i].x - between;
        }
        double height = 0, channel = 0, gap_axis = left + 16;
        for (const item& part : items) {
            height = std::max(height, part.drawn.drawn.height);
            if (box != nullptr && part.index)
                farthest = std::max(farthest, std::abs(exit_of(part).x - part.axis()));
        }
        if (box != nullptr)
            channel = std::clamp(18 + farthest / 10, 22.0, 64.0);
        const double top = y_ + channel;
        y_ = top + height;
        bool has_gap = false;
        for (item& part : items) {
            if (part.is_gap) {
                gap_axis = part.axis();
                has_gap = true;
            }
        }
        if (has_gap)
            y_ += 14;
        for (item& part : items) {
            if (box != nullptr && part.index) {
                const double end = part.is_gap ? y_ : top + part.drawn.first_edge;
                put_edge(*part.index, {exit_of(part), {part.axis(), top}, {part.axis(), end}}, true);
            }
            if (!part.is_gap)
                nodes_.add(std::move(part.drawn.drawn), {part.x, top});
        }
        return gap_axis;
    }

    // The most detailed row of children that fits.
    std::vector<item> fitting(const std::vector<std::size_t>& children, std::size_t missing, double width,
                              bool has_parent) const {
        for (const detail& how : details()) {
            std::vector<item> items;
            const double sum = items_of(children, missing, width, has_parent, how, items);
            if (sum > width && &how != &details().back())
                continue;
            // Children that fit are spread over the remaining width.
            for (const double more : {48.0, 32.0, 20.0, 12.0}) {
                detail roomy = how;
                roomy.between = more;
                std::vector<item> spread_items;
                if (items_of(children, missing, width, has_parent, roomy, spread_items) <= width)
                    return spread_items;
            }
            return items;
        }
        return {};
    }

    // Their width together, or more than `width` as soon as they are wider.
    double items_of(const std::vector<std::size_t>& children, std::size_t missing, double width,
                    bool has_parent, const detail& how, std::vector<item>& items) const {
        double sum = -between;
        for (const shown_child& child : shown_children(tree_, children, missing, how)) {
            item part{.index = child.index};
            if (!child.index)
                part.drawn = count_twig(tree_, child.count);
            else if (has_parent && tree_.at(*child.index).is_spread)
                part.is_gap = true;
            else
                part.drawn = twig_of(tree_, *child.index, how, has_parent);
            sum += part.width() + between;
            items.push_back(std::move(part));
            if (sum > width && &how != &details().back())
                break;
        }
        return sum;
    }

    const forest& tree_;
    double whole_width_;
    double y_ = 0;
    double widest_ = 0; // of the rows
    piece edges_;
    piece lit_edges_;
    piece nodes_;
};

} // namespace

piece laid_out(const forest& tree, double width) {
    return layouter(tree, width).lay_out();
}

} // namespace fingerpost::cli::drawing
