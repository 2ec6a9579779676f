// Takes as many cells as fit, those next to a wanted one first.
#include "cli/explain/drawing/cell_rows.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "cli/writers/grouped.hpp"

namespace fingerpost::cli::drawing {
namespace {

constexpr double cell_row_gap = 4;
constexpr double cell_padding = 5;
constexpr double cell_line = 13;

// A drawn cell, or a gap for several cells.
struct box_of_row {
    const cell* shown = nullptr;
    std::uint64_t first_slot = 0;
    std::uint64_t slots = 0;
    double width = 0;
    std::size_t row = 0;
    double x = 0;
};

class row_writer {
  public:
    row_writer(const std::vector<cell>& cells, double width) : cells_(cells), width_(width) {
        for (const cell& entry : cells)
            has_top_ = has_top_ || !entry.top.empty();
    }

    // Cells by their distance from the nearest wanted one, at most `most` of them.
    std::vector<std::size_t> nearest(std::size_t most) const {
        std::vector<std::size_t> distance(cells_.size(), std::numeric_limits<std::size_t>::max());
        std::size_t far = std::numeric_limits<std::size_t>::max() / 2;
        const auto pass = [&](std::size_t i) {
            far = cells_[i].is_wanted ? 0 : far + 1;
            distance[i] = std::min(distance[i], far);
        };
        for (std::size_t i = 0; i < cells_.size(); ++i)
            pass(i);
        far = std::numeric_limits<std::size_t>::max() / 2;
        for (std::size_t i = cells_.size(); i-- > 0;)
            pass(i);
        std::vector<std::size_t> order(cells_.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = i;
        const auto is_nearer = [&](std::size_t a, std::size_t b) {
            return distance[a] != distance[b] ? distance[a] < distance[b] : a < b;
        };
        most = std::min(most, order.size());
        std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(),
                          is_nearer);
        order.resize(most);
        return order;
    }

    // Returns the number of rows.
    std::size_t lay_out(std::vector<std::size_t> shown) {
        std::sort(shown.begin(), shown.end());
        boxes_.clear();
        std::size_t next = 0;
        for (const std::size_t i : shown) {
            leave_out(next, i);
            boxes_.push_back({&cells_[i], cells_[i].slot, cells_[i].slots, width_of(cells_[i])});
            next = i + 1;
        }
        leave_out(next, cells_.size());
        std::size_t row = 0;
        double x = 0;
        for (box_of_row& box : boxes_) {
            if (x > 0 && x + box.width > width_) {
                ++row;
                x = 0;
            }
            box.row = row;
            box.x = x;
            x += box.width;
        }
        return boxes_.empty() ? 0 : row + 1;
    }

    piece draw(const std::vector<std::uint64_t>& exits) const {
        piece out;
        const double height = (has_top_ ? cell_line : 0) + cell_line + 6;
        for (const box_of_row& box : boxes_) {
            const double y = static_cast<double>(box.row) * (height + cell_row_gap);
            put(out, box, {box.x, y}, height);
            out.width = std::max(out.width, box.x + box.width);
            out.height = std::max(out.height, y + height);
        }
        for (const std::uint64_t slot : exits)
            for (const box_of_row& box : boxes_)
                if (box.first_slot <= slot)
                    out.exits[slot] = {box.x + box.width / 2, out.height};
        return out;
    }

  private:
    void leave_out(std::size_t from, std::size_t upto) {
        if (from >= upto)
            return;
        std::uint64_t slots = 0;
        for (std::size_t i = from; i < upto; ++i)
            slots += cells_[i].slots;
        boxes_.push_back(
            {nullptr, cells_[from].slot, slots, text_width(gap_text(slots), font::plain) + 2 * cell_padding});
    }
    static std::string gap_text(std::uint64_t slots) { return fmt::format("+ {}", grouped(slots)); }

    bool fits(const std::string& name) const {
        return text_width(name, font::bold) + 2 * cell_padding <= width_;
    }
    double width_of(const cell& entry) const {
        const double name = fits(entry.name) ? text_width(entry.name, font::bold) : 0;
        return std::max(
            {24.0, name + 2 * cell_padding, text_width(entry.top, font::small) + 2 * cell_padding});
    }

    void put(piece& out, const box_of_row& box, point at, double height) const {
        const double middle = at.x + box.width / 2;
        if (box.shown == nullptr) {
            out.box(at, box.width, height, "gap");
            out.text_middle({middle, at.y + height / 2 + 4}, font::plain, gap_text(box.slots), "quiet");
            return;
        }
        const cell& entry = *box.shown;
        out.open("cell" + (entry.classes.empty() ? "" : " " + entry.classes),
                 fmt::format("data-slot=\"{}\"{}{}", entry.slot, entry.attributes.empty() ? "" : " ",
                             entry.attributes),
                 fits(entry.name) ? "" : entry.name);
        out.box(at, box.width, height, "slot");
        const bool has_name = fits(entry.name) && !entry.name.empty();
        const double top = at.y + (has_name ? 13 : height / 2 + 4);
        out.text_middle({middle, top}, font::small, entry.top, "quiet");
        if (has_name)
            out.text_middle({middle, entry.top.empty() ? at.y + height / 2 + 4 : at.y + height - 6},
                            font::plain, entry.name);
        out.close();
    }

    const std::vector<cell>& cells_;
    double width_;
    bool has_top_ = false;
    std::vector<box_of_row> boxes_;
};

} // namespace

piece rows_of(const std::vector<cell>& cells, double width, std::size_t most_rows,
              const std::vector<std::uint64_t>& slots) {
    constexpr std::size_t most_looked_at = 400;
    row_writer rows(cells, width);
    const std::vector<std::size_t> order = rows.nearest(most_looked_at);
    const auto shown = [&](std::size_t count) {
        return std::vector<std::size_t>(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
    };
    std::size_t fits = 0, too_many = order.size() + 1;
    while (too_many - fits > 1) {
        const std::size_t count = fits + (too_many - fits) / 2;
        (rows.lay_out(shown(count)) <= most_rows ? fits : too_many) = count;
    }
    rows.lay_out(shown(fits));
    return rows.draw(slots);
}

} // namespace fingerpost::cli::drawing
