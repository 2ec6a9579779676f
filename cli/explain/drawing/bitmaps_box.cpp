// A node of bitmaps: a row of slots for each bitmap, or several rows where space is narrow.
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <optional>
#include <set>

#include "cli/explain/bitmap_words.hpp"
#include "cli/explain/drawing/boxes.hpp"
#include "cli/explain/drawing/cell_rows.hpp"
#include "cli/writers/grouped.hpp"

namespace fingerpost::cli::drawing {
namespace {

constexpr double slot_height = 13;
constexpr double number_height = 13;
constexpr double chunk_gap = 6;
constexpr double name_height = 15; // of a name above its bitmap, where space is narrow

class bitmaps_writer {
  public:
    bitmaps_writer(const forest& tree, std::size_t index, double width)
        : tree_(tree), tree_node_(tree.at(index)), node_(*tree.at(index).node), width_(width) {
        words_each_ = words_of_bitmap(node_);
        bitmaps_ = node_.words.size() / words_each_;
        slots_ = words_each_ == 1 ? slots_of_word() : words_each_ * 64;
        for (const std::size_t step : tree_node_.steps)
            if (looks_at_slot(tree_.step(step)) && slot_of(step) < slots_)
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
        // Below several rows, edges start in the order of the slots, so that they do not cross.
        for (const std::uint64_t slot : exits) {
            const double share = static_cast<double>(slot) / static_cast<double>(slots_);
            const double in_row = slots_ <= in_row_ ? middle_of(slot) : left_ + share * (out.width - left_);
            // An array beside the children has no bit.
            const double x = slot == 0 && !leads_from(0) ? left_ / 2 : in_row;
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
        double widest = text_width("answers", font::plain);
        for (std::size_t bitmap = 0; bitmap < bitmaps_; ++bitmap)
            widest = std::max(widest, text_width(name_of(bitmap), font::plain));
        left_ = width_ < narrow ? 0 : widest + 10;
        const double room = width_ - left_;
        in_row_ = std::min<std::size_t>(64, std::bit_ceil(std::max<std::uint64_t>(slots_, 2)));
        const double narrowest = slots_ <= 64 ? 12 : 10;
        while (in_row_ > 8 && room / static_cast<double>(in_row_) < narrowest)
            in_row_ /= 2;
        slot_width_ = std::min(room / static_cast<double>(in_row_), slots_ <= 16 ? 26.0 : 20.0);
        if (in_row_ == 64)
            slot_width_ = std::min(slot_width_, 14.0);
    }

    // A large bitmap shows only the rows that are read or have children.
    void choose() {
        const std::size_t rows = (slots_ + in_row_ - 1) / in_row_;
        constexpr std::size_t most = 16;
        std::set<std::size_t> chosen;
        if (rows <= most) {
            for (std::size_t i = 0; i < rows; ++i)
                chosen.insert(i);
        } else {
            for (const std::size_t step : read_)
                chosen.insert(slot_of(step) / in_row_);
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

    std::string name_of(std::size_t bitmap) const {
        return node_.bitmaps.empty() ? "bitmap" : node_.bitmaps[bitmap].name;
    }

    // Some schemes report a single bit as an index.
    bool looks_at_slot(const explained_step& step) const {
        return step.with == compared::bitmap ||
               (step.with == compared::nothing && !step.key.empty() && step.bits == node_.bits);
    }
    // The bit of the address; the step may read only one word of the bitmap.
    std::uint64_t slot_of(std::size_t i) const {
        const explained_step& step = tree_.step(i);
        const std::size_t first = step.node_words.empty() ? 0 : step.node_words[step.counted.first_word];
        return step.slot + first % words_each_ * 64;
    }
    // The step that counts the set bits of a bitmap up to its slot.
    std::optional<std::size_t> counter_of(std::size_t bitmap, std::uint64_t slot) const {
        for (const std::size_t i : read_) {
            const explained_step& step = tree_.step(i);
            const auto& words = step.node_words;
            const auto at = std::find(words.begin(), words.end(), bitmap * words_each_ + slot / 64);
            const auto word = static_cast<std::size_t>(at - words.begin());
            const bit_count& counted = step.counted;
            if (at != words.end() && word >= counted.first_word &&
                word < counted.first_word + counted.words &&
                (word - counted.first_word) * 64 + slot % 64 < step.counted_before)
                return i;
        }
        return std::nullopt;
    }
    bool leads_from(std::uint64_t slot) const {
        return std::any_of(tree_node_.children.begin(), tree_node_.children.end(), [&](std::size_t child) {
            const explained_node& node = *tree_.at(child).node;
            return node.slot == slot && !is_array(node_, node);
        });
    }
    bool has_slots(std::size_t bitmap) const {
        return node_.bitmaps.empty() || node_.bitmaps[bitmap].has_slots;
    }
    // The step that finds the longest match in this bit.
    std::optional<std::size_t> matcher_of(std::size_t bitmap, std::uint64_t slot) const {
        for (const std::size_t i : read_) {
            const explained_step& step = tree_.step(i);
            if (step.matched && !step.node_words.empty() && step.matched_slot == slot &&
                step.node_words[step.matched->bit / 64] / words_each_ == bitmap)
                return i;
        }
        return std::nullopt;
    }
    std::optional<std::size_t> reader_of(std::uint64_t slot) const {
        for (const std::size_t i : read_)
            if (slot_of(i) == slot)
                return i;
        return std::nullopt;
    }

    double put_chunk(piece& out, std::size_t chunk, double y) const {
        const std::uint64_t first = chunk * in_row_, last = std::min<std::uint64_t>(slots_, first + in_row_);
        for (std::uint64_t slot = first; slot < last; ++slot)
            if (is_numbered(slot, first))
                out.text_middle({middle_of(slot), y + 9}, font::small, std::to_string(slot),
                                reader_of(slot) ? "" : "quiet");
        y += number_height;
        for (std::size_t bitmap = 0; bitmap < bitmaps_; ++bitmap) {
            if (chunk == chunks_.front()) {
                if (has_names_between())
                    y += name_height;
                out.text({0, left_ > 0 ? y + 10 : y - 4}, font::plain,
                         left_ > 0 || bitmaps_ > 1 ? name_of(bitmap) : "", "quiet");
            }
            for (std::uint64_t slot = first; slot < last; ++slot)
                put_slot(out, bitmap, slot, y);
            // In a bitmap of prefixes, the slot of the address is not a bit.
            if (has_slots(bitmap))
                put_frames(out, first, last, y - 1, slot_height + 2);
            for (std::uint64_t slot = first; slot < last; ++slot)
                if (const auto matcher = matcher_of(bitmap, slot))
                    out.box({middle_of(slot) - slot_width_ / 2, y}, slot_width_, slot_height, "match lit",
                            tree_.lit_by(*matcher));
            y += slot_height + 2;
        }
        out.width = std::max(out.width, left_ + static_cast<double>(last - first) * slot_width_);
        return y;
    }
    bool has_names_between() const { return left_ == 0 && bitmaps_ > 1; }

    // Around the bits of the address.
    void put_frames(piece& out, std::uint64_t first, std::uint64_t last, double y, double height) const {
        for (std::uint64_t slot = first; slot < last; ++slot)
            if (const auto reader = reader_of(slot))
                out.box({middle_of(slot) - slot_width_ / 2 - 1, y}, slot_width_ + 2, height, "at lit",
                        tree_.lit_by(*reader));
    }

    // Every eighth number, and the ones that are read where two of them are not too close.
    bool is_numbered(std::uint64_t slot, std::uint64_t first) const {
        const bool is_read = reader_of(slot).has_value();
        if (!is_read && (slot - first) % 8 != 0)
            return false;
        constexpr double widest_number = 34;
        return std::none_of(read_.begin(), read_.end(), [&](std::size_t i) {
            const std::uint64_t at = slot_of(i);
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

    // Answers in the node itself.
    void put_answers(piece& out) const {
        if (node_.answers.empty())
            return;
        std::vector<cell> cells;
        for (const explained_answer& answer : node_.answers)
            cells.push_back({.top = std::to_string(answer.slot),
                             .name = answer.text,
                             .classes = "held",
                             .slot = answer.slot,
                             .is_wanted = std::any_of(read_.begin(), read_.end(), [&](std::size_t i) {
                                 return slot_of(i) == answer.slot;
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
