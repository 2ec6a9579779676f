// A node of keys: cells with the keys in rows, and below each key the answer of its interval.
#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>

#include "cli/explain/drawing/boxes.hpp"
#include "cli/writers/grouped.hpp"

namespace fingerpost::cli::drawing {
namespace {

constexpr double keys_line = 13;
constexpr double keys_row_gap = 5;

// Short lines of a key, which may be a long address.
std::vector<std::string> lines_of(const std::string& key) {
    constexpr std::size_t shortest = 8, longest = 10;
    const std::size_t most = std::clamp((key.size() + 1) / 2, shortest, longest);
    std::vector<std::string> lines;
    std::string part;
    for (std::size_t at = 0; at < key.size();) {
        const std::size_t separator = key.find_first_of(".:", at);
        const std::size_t end =
            std::min({separator == std::string::npos ? key.size() : separator + 1, at + most});
        if (lines.empty() || lines.back().size() + (end - at) > most)
            lines.emplace_back();
        lines.back() += key.substr(at, end - at);
        at = end;
    }
    return lines;
}

// The steps that read a key, and the result.
struct key_marks {
    std::vector<std::size_t> read_by{};
    std::optional<std::size_t> hit_by{}; // the comparison ends here
    bool is_below = false;               // it is smaller than what is sought
};

class keys_writer {
  public:
    keys_writer(const forest& tree, std::size_t index, double width)
        : tree_(tree), tree_node_(tree.at(index)), node_(*tree.at(index).node), width_(width),
          marks_(node_.values.size()) {
        columns_ = node_.values.size();
        if (!node_.answers.empty())
            columns_ = std::max<std::size_t>(columns_, node_.answers.back().slot + 1);
        for (const std::size_t step : tree_node_.steps)
            mark(step);
        measure();
        choose();
    }

    piece draw(const std::vector<std::uint64_t>& exits) const {
        piece out;
        const double height = key_height() + answer_height();
        for (std::size_t k = 0; k < shown_.size(); ++k) {
            const point at{static_cast<double>(k % in_row_) * cell_width_,
                           static_cast<double>(k / in_row_) * (height + keys_row_gap)};
            put(out, k, at);
            out.width = std::max(out.width, at.x + cell_width_);
            out.height = std::max(out.height, at.y + height);
        }
        for (const std::uint64_t slot : exits) {
            const auto after = std::upper_bound(shown_.begin(), shown_.end(), slot);
            const std::size_t k =
                after == shown_.begin() ? 0 : static_cast<std::size_t>(after - shown_.begin()) - 1;
            // An interval lies between two keys: its edge begins in the gap before the key of its number.
            const bool is_behind = slot > shown_.back();
            out.exits[slot] = {static_cast<double>(k % in_row_ + (is_behind ? 1 : 0)) * cell_width_,
                               out.height};
        }
        return out;
    }

  private:
    // Where the keys of the step stand among those of the node: by their place in memory if that shows, as
    // keys that are cut may be equal.
    std::optional<std::size_t> place_of(const explained_step& step) const {
        const std::size_t keys = node_.values.size();
        const auto is_at = [&](std::size_t first) {
            return first + step.values.size() <= keys &&
                   std::equal(step.values.begin(), step.values.end(),
                              node_.values.begin() + static_cast<std::ptrdiff_t>(first));
        };
        if (const std::uint64_t each = node_.bytes / keys; each > 0 && step.offset >= node_.offset)
            if (const std::uint64_t first = (step.offset - node_.offset) / each; is_at(first))
                return first;
        for (std::size_t first = 0; first < keys; ++first)
            if (is_at(first))
                return first;
        return std::nullopt;
    }
    void mark(std::size_t i) {
        const explained_step& step = tree_.step(i);
        if (step.with != compared::keys || step.values.empty())
            return;
        const auto placed = place_of(step);
        if (!placed)
            return;
        const std::size_t first = *placed;
        for (std::size_t k = 0; k < step.values.size(); ++k) {
            marks_[first + k].read_by.push_back(i);
            marks_[first + k].is_below = k < step.below;
        }
        const std::size_t hit = step.values.size() == 1 ? first : first + step.below;
        if (hit < marks_.size())
            marks_[hit].hit_by = i;
    }

    void measure() {
        for (const std::string& key : node_.values) {
            const auto lines = lines_of(key);
            key_lines_ = std::max(key_lines_, lines.size());
            for (const std::string& line : lines)
                cell_width_ = std::max(cell_width_, text_width(line, font::mono) + 8);
        }
        constexpr double widest_name = 110;
        for (const explained_answer& answer : node_.answers)
            if (const double w = text_width(answer.text, font::plain) + 8; w <= std::min(widest_name, width_))
                cell_width_ = std::max(cell_width_, w);
        in_row_ = std::max<std::size_t>(1, static_cast<std::size_t>(width_ / cell_width_));
        if (in_row_ < columns_ && in_row_ >= 4)
            in_row_ -= in_row_ % 4;
        in_row_ = std::min(in_row_, columns_);
        // Rows of one length, in fours.
        const std::size_t rows = (columns_ + in_row_ - 1) / in_row_;
        if (const std::size_t even = ((columns_ + rows - 1) / rows + 3) / 4 * 4; even < in_row_)
            in_row_ = even;
    }

    // Cells around those that are read, if all are too many.
    void choose() {
        constexpr std::size_t most = 32;
        std::set<std::size_t> chosen;
        const auto add = [&](std::size_t k) {
            if (k < columns_)
                chosen.insert(k);
        };
        if (columns_ <= most) {
            for (std::size_t k = 0; k < columns_; ++k)
                add(k);
        } else {
            add(0);
            add(columns_ - 1);
            for (const std::size_t child : tree_node_.children)
                if (tree_.at(child).is_on_way)
                    add(tree_.at(child).node->slot);
            for (std::size_t k = 0; k < marks_.size(); ++k)
                if (marks_[k].hit_by)
                    add(k);
            for (std::size_t k = 0; k < marks_.size() && chosen.size() < most; ++k)
                if (!marks_[k].read_by.empty())
                    add(k);
            for (std::size_t near = 1; chosen.size() < most && near < most; ++near)
                for (const std::size_t k : std::vector<std::size_t>(chosen.begin(), chosen.end())) {
                    add(k + 1);
                    add(k == 0 ? 0 : k - 1);
                }
        }
        shown_.assign(chosen.begin(), chosen.end());
    }

    double key_height() const { return static_cast<double>(key_lines_) * keys_line + 8; }
    double answer_height() const { return node_.answers.empty() ? 0 : keys_line + 5; }
    std::string answer_at(std::size_t k) const {
        std::string text;
        for (const explained_answer& answer : node_.answers)
            if (answer.slot <= k)
                text = answer.text;
        return text;
    }

    void put(piece& out, std::size_t place, point at) const {
        const std::size_t k = shown_[place];
        const bool has_key = k < node_.values.size();
        const key_marks marks = has_key ? marks_[k] : key_marks{};
        const bool is_padding = has_key && k + node_.padding >= node_.values.size();
        const double middle = at.x + cell_width_ / 2;
        std::string classes = "cell key", attributes = fmt::format("data-slot=\"{}\"", k);
        if (is_padding)
            classes += " padding";
        if (!marks.read_by.empty()) {
            classes += marks.hit_by ? " hit lit" : marks.is_below ? " below lit" : " above lit";
            attributes += " " + tree_.lit_by(marks.hit_by.value_or(marks.read_by.back()));
        }
        out.open(classes, attributes);
        if (has_key) {
            out.box(at, cell_width_, key_height(), "slot");
            if (is_padding)
                out.hatch(at, cell_width_, key_height());
            double y = at.y + 4 + 10;
            for (const std::string& line : lines_of(node_.values[k])) {
                out.text_middle({middle, y}, font::mono, line);
                y += keys_line;
            }
        }
        out.close();
        // A gap in the numbers, where keys are left out.
        if (place > 0 && shown_[place - 1] + 1 < k)
            out.line({{at.x, at.y}, {at.x, at.y + key_height()}}, "torn");
        if (node_.answers.empty())
            return;
        attributes = fmt::format("data-slot=\"{}\"", k);
        const std::string answer = answer_at(k);
        const bool fits = text_width(answer, font::plain) + 4 <= cell_width_;
        if (is_answer(k))
            attributes += " " + tree_.lit_by(tree_node_.steps.back());
        out.open(is_answer(k) ? "cell held lit answer" : "cell held", attributes, fits ? "" : answer);
        out.box({at.x, at.y + key_height()}, cell_width_, answer_height(), "slot");
        out.text_middle({middle, at.y + key_height() + 13}, font::plain, fits ? answer : "");
        out.close();
    }

    // The lookup ends in this node, with the answer of this interval.
    bool is_answer(std::size_t k) const {
        if (!tree_node_.has_answer || tree_node_.steps.empty())
            return false;
        return tree_.step(tree_node_.steps.back()).below == k;
    }

    const forest& tree_;
    const tree_node& tree_node_;
    const explained_node& node_;
    double width_;
    std::vector<key_marks> marks_;
    std::size_t columns_ = 0;
    std::size_t key_lines_ = 1;
    double cell_width_ = 34;
    std::size_t in_row_ = 1;
    std::vector<std::size_t> shown_;
};

} // namespace

piece keys_of(const forest& tree, std::size_t index, double width) {
    return keys_writer(tree, index, width).draw(slots_of_children(tree, index));
}

} // namespace fingerpost::cli::drawing
