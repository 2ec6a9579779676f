// A node of bitmaps: a row of slots for each bitmap, or several rows below each other where the room is
// narrow.
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <optional>
#include <set>

#include "cli/explain/drawing/boxes.hpp"
#include "cli/explain/drawing/cell_rows.hpp"
#include "cli/writers/grouped.hpp"

namespace fingerpost::cli::drawing {
namespace {

constexpr double slot_height = 13;
constexpr double number_height = 13;
constexpr double chunk_gap = 6;
constexpr double name_width = 68;

class bitmaps_writer {
  public:
    bitmaps_writer(const forest& tree, std::size_t index, double width)
        : tree_(tree), tree_node_(tree.at(index)), node_(*tree.at(index).node), width_(width) {
        const std::size_t words = node_.words.size();
        words_each_ = node_.bits > 6 && node_.bits < 16 ? std::size_t{1} << (node_.bits - 6) : 1;
        if (words % words_each_ != 0)
            words_each_ = words;
        // Of a large bitmap whose words stand in a node of fewer bits.
        constexpr std::size_t most_bitmaps = 8;
        if (words / words_each_ > most_bitmaps)
            words_each_ = words;
        bitmaps_ = words / words_each_;
        slots_ = words_each_ == 1 ? slots_of_word() : words_each_ * 64;
        for (const std::size_t step : tree_node_.steps)
            if (tree_.step(step).with == compared::bitmap && tree_.step(step).slot < slots_)
                read_.push_back(step);
        measure();
        choose();
    }

    piece draw(const std::vector<std::uint64_t>& exits) const {
        piece out;
        double y = 0;
        std::size_t next = 0;
        for (const std::size_t chunk : chunks_) {
            if (chunk > next)
                y = leave_out(out, (chunk - next) * in_row_, y);
            y = put_chunk(out, chunk, y) + chunk_gap;
            next = chunk + 1;
        }
        if (next * in_row_ < slots_)
            y = leave_out(out, slots_ - next * in_row_, y);
        out.height = y - chunk_gap;
        put_answers(out);
        // Below several rows of slots, edges begin in the order of the slots and so do not cross.
        for (const std::uint64_t slot : exits) {
            const double share = static_cast<double>(slot) / static_cast<double>(slots_);
            const double x = slots_ <= in_row_ ? middle_of(slot) : left_ + share * (out.width - left_);
            out.exits[slot] = {x, out.height};
        }
        return out;
    }

  private:
    std::uint64_t slots_of_word() const {
        std::uint64_t most = std::uint64_t{1} << std::clamp(node_.bits, 1U, 6U);
        for (const std::uint64_t word : node_.words)
            most = std::max<std::uint64_t>(most, static_cast<std::uint64_t>(std::bit_width(word)));
        return node_.bits == 0 ? 64 : std::bit_ceil(most);
    }
    bool is_set(std::size_t bitmap, std::uint64_t slot) const {
        return node_.words[bitmap * words_each_ + slot / 64] >> slot % 64 & 1;
    }

    void measure() {
        constexpr double narrow = 500;
        left_ = width_ < narrow ? 0 : name_width;
        const double room = width_ - left_;
        in_row_ = std::min<std::size_t>(64, std::bit_ceil(std::max<std::uint64_t>(slots_, 2)));
        const double narrowest = slots_ <= 64 ? 12 : 10;
        while (in_row_ > 8 && room / static_cast<double>(in_row_) < narrowest)
            in_row_ /= 2;
        slot_width_ = std::min(room / static_cast<double>(in_row_), slots_ <= 16 ? 26.0 : 20.0);
        if (in_row_ == 64)
            slot_width_ = std::min(slot_width_, 14.0);
    }

    // Of a large bitmap, the rows around what is read and where children are.
    void choose() {
        const std::size_t rows = (slots_ + in_row_ - 1) / in_row_;
        constexpr std::size_t most = 16;
        std::set<std::size_t> chosen;
        if (rows <= most) {
            for (std::size_t i = 0; i < rows; ++i)
                chosen.insert(i);
        } else {
            for (const std::size_t step : read_)
                chosen.insert(tree_.step(step).slot / in_row_);
            for (const std::size_t child : tree_node_.children)
                if (chosen.size() < 4 && tree_.at(child).node->slot < slots_)
                    chosen.insert(tree_.at(child).node->slot / in_row_);
            if (chosen.empty())
                chosen.insert(0);
        }
        chunks_.assign(chosen.begin(), chosen.end());
    }

    double leave_out(piece& out, std::uint64_t slots, double y) const {
        out.text({left_, y + 10}, font::plain, fmt::format("{} slots left out", grouped(slots)), "quiet");
        return y + 18;
    }

    // A bitmap has the name of what its bits are, if that shows.
    std::string name_of(std::size_t bitmap) const {
        std::uint64_t set = 0, answers = 0;
        std::set<std::uint64_t> children;
        for (std::size_t w = 0; w < words_each_; ++w)
            set += static_cast<std::uint64_t>(std::popcount(node_.words[bitmap * words_each_ + w]));
        for (const std::size_t child : tree_node_.children)
            if (!is_array(node_, *tree_.at(child).node) && tree_.at(child).node->slot < slots_ &&
                is_set(bitmap, tree_.at(child).node->slot))
                children.insert(tree_.at(child).node->slot);
        for (const explained_answer& one : node_.answers)
            answers += one.slot < slots_ && is_set(bitmap, one.slot);
        if (set > 0 && children.size() == set)
            return "children";
        // A bit for each entry of an array beside the children.
        for (const std::size_t child : tree_node_.children)
            if (is_array(node_, *tree_.at(child).node) && tree_.at(child).node->answers.size() == set)
                return tree_.at(child).node->kind;
        if (set > 0 && answers == set)
            return "answers";
        return bitmaps_ == 1 ? "bitmap" : fmt::format("bitmap {}", bitmap + 1);
    }

    // The step that counts the set bits of a bitmap up to its slot.
    std::optional<std::size_t> counter_of(std::size_t bitmap, std::uint64_t slot) const {
        for (const std::size_t i : read_) {
            const explained_step& step = tree_.step(i);
            const std::size_t first = bitmap * words_each_;
            if (step.counted.words > 0 && step.values.size() == node_.words.size() &&
                step.counted.first_word >= first && step.counted.first_word < first + words_each_ &&
                slot <= step.slot)
                return i;
        }
        return std::nullopt;
    }
    std::optional<std::size_t> reader_of(std::uint64_t slot) const {
        for (const std::size_t i : read_)
            if (tree_.step(i).slot == slot)
                return i;
        return std::nullopt;
    }

    double put_chunk(piece& out, std::size_t chunk, double y) const {
        const std::uint64_t first = chunk * in_row_, last = std::min<std::uint64_t>(slots_, first + in_row_);
        for (std::uint64_t slot = first; slot < last; ++slot)
            if (is_numbered(slot, first))
                out.text_middle({middle_of(slot), y + 9}, font::small, std::to_string(slot),
                                reader_of(slot) ? "" : "quiet");
        const double top = y + number_height;
        y = top;
        for (std::size_t bitmap = 0; bitmap < bitmaps_; ++bitmap) {
            if (left_ > 0 && chunk == chunks_.front())
                out.text({0, y + 10}, font::plain, name_of(bitmap), "quiet");
            for (std::uint64_t slot = first; slot < last; ++slot)
                put_slot(out, bitmap, slot, y);
            y += slot_height + 2;
        }
        for (std::uint64_t slot = first; slot < last; ++slot)
            if (const auto reader = reader_of(slot))
                out.box({middle_of(slot) - slot_width_ / 2 - 1, top - 1}, slot_width_ + 2, y - top + 1,
                        "at lit", tree_.lit_by(*reader));
        out.width = std::max(out.width, left_ + static_cast<double>(last - first) * slot_width_);
        return y;
    }

    // Every eighth number, and the ones that are read where two of them are not too close.
    bool is_numbered(std::uint64_t slot, std::uint64_t first) const {
        const bool is_read = reader_of(slot).has_value();
        if (!is_read && (slot - first) % 8 != 0)
            return false;
        constexpr double widest_number = 34;
        return std::none_of(read_.begin(), read_.end(), [&](std::size_t i) {
            const std::uint64_t at = tree_.step(i).slot;
            const std::uint64_t apart = at > slot ? at - slot : slot - at;
            return (is_read ? at < slot : at != slot) && at / in_row_ == slot / in_row_ &&
                   static_cast<double>(apart) * slot_width_ < widest_number;
        });
    }
    double middle_of(std::uint64_t slot) const {
        return left_ + (static_cast<double>(slot % in_row_) + 0.5) * slot_width_;
    }

    void put_slot(piece& out, std::size_t bitmap, std::uint64_t slot, double y) const {
        std::string classes = is_set(bitmap, slot) ? "bit set" : "bit";
        std::string attributes = fmt::format("data-slot=\"{}\"", slot);
        if (bitmaps_ > 1)
            attributes += fmt::format(" data-bitmap=\"{}\"", bitmap);
        if (const auto counter = counter_of(bitmap, slot)) {
            classes += " counted lit";
            attributes += " " + tree_.lit_by(*counter);
        }
        out.box({middle_of(slot) - slot_width_ / 2, y}, slot_width_, slot_height, classes, attributes);
    }

    // Answers that stand in the node itself.
    void put_answers(piece& out) const {
        if (node_.answers.empty())
            return;
        std::vector<cell> cells;
        for (const explained_answer& one : node_.answers)
            cells.push_back({.top = std::to_string(one.slot),
                             .name = one.text,
                             .classes = "held",
                             .slot = one.slot,
                             .is_wanted = std::any_of(read_.begin(), read_.end(), [&](std::size_t i) {
                                 return tree_.step(i).slot == one.slot;
                             })});
        constexpr std::size_t most_rows = 3;
        piece rows = rows_of(cells, width_ - left_, most_rows, {});
        if (left_ > 0)
            out.text({0, out.height + 18}, font::plain, "answers", "quiet");
        const double y = out.height + 6, height = rows.height;
        out.width = std::max(out.width, left_ + rows.width);
        out.add(std::move(rows), {left_, y});
        out.height = y + height;
    }

    const forest& tree_;
    const tree_node& tree_node_;
    const explained_node& node_;
    double width_;
    std::size_t words_each_ = 1;
    std::size_t bitmaps_ = 1;
    std::uint64_t slots_ = 64;
    std::vector<std::size_t> read_; // steps that look at a slot
    double left_ = 0;
    double slot_width_ = 14;
    std::size_t in_row_ = 64;
    std::vector<std::size_t> chunks_; // rows that are shown
};

} // namespace

piece bitmaps_of(const forest& tree, std::size_t index, double width) {
    return bitmaps_writer(tree, index, width).draw(slots_of_children(tree, index));
}

} // namespace fingerpost::cli::drawing
