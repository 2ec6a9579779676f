// A node with slots, which hold answers or lead to children: runs of slots with one next hop are one cell.
// And a node whose children have no slots, as in a hash table: they are cells in it.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>

#include "cli/explain/drawing/boxes.hpp"
#include "cli/explain/drawing/cell_rows.hpp"

namespace fingerpost::cli::drawing {
namespace {

constexpr std::size_t many_rows = 6;

// What begins at a slot.
struct run {
    std::string answer{};
    bool is_child = false;
    std::optional<std::size_t> child{};   // index
    std::optional<std::size_t> read_by{}; // step
};

class runs_writer {
  public:
    runs_writer(const forest& tree, std::size_t index) : tree_(tree), tree_node_(tree.at(index)) {
        const explained_node& node = *tree_node_.node;
        for (const explained_answer& one : node.answers)
            runs_[one.slot].answer = one.text;
        if (has_word_for_each_slot(node))
            for (std::size_t i = 0; i < node.words.size(); ++i)
                if (i == 0 || node.words[i] != node.words[i - 1])
                    runs_[i].answer = node.words[i] == 0 ? "" : node.values[i];
        runs_.try_emplace(0);
        slots_ = std::max<std::uint64_t>(runs_.rbegin()->first + 1, 1);
        if (!tree_node_.children.empty())
            slots_ = std::max(slots_, tree.at(tree_node_.children.back()).node->slot + 1);
        if (node.bits > 0 && node.bits < 48)
            slots_ = std::max(slots_, std::uint64_t{1} << node.bits);
        for (const std::size_t child : tree_node_.children) {
            run& own = cut(tree.at(child).node->slot);
            own.is_child = true;
            own.child = child;
        }
        for (const std::size_t step : tree_node_.steps)
            if (const auto slot = slot_of(tree.step(step)))
                cut(*slot).read_by = step;
    }

    std::vector<cell> cells() const {
        std::vector<cell> out;
        for (auto at = runs_.begin(); at != runs_.end(); ++at) {
            const std::uint64_t first = at->first;
            const std::uint64_t end = std::next(at) == runs_.end() ? slots_ : std::next(at)->first;
            const run& one = at->second;
            const std::uint64_t number = first_number() + first, last = first_number() + end - 1;
            cell made{.top = number == last ? std::to_string(number) : fmt::format("{}-{}", number, last),
                      .name = one.is_child ? "" : one.answer,
                      .slot = first,
                      .slots = end - first};
            if (one.is_child)
                made.classes = "leads";
            else if (one.answer.empty())
                made.classes = "empty";
            if (one.read_by) {
                const bool ends = tree_.step(*one.read_by).result == outcome::answered;
                made.classes += ends ? " lit answer" : " lit";
                made.attributes = tree_.lit_by(*one.read_by);
                made.is_wanted = true;
            }
            made.is_wanted = made.is_wanted || (one.child && tree_.at(*one.child).is_on_way);
            out.push_back(std::move(made));
        }
        return out;
    }

  private:
    // Makes this slot a run of its own.
    run& cut(std::uint64_t slot) {
        auto after = runs_.upper_bound(slot);
        const run before = std::prev(after)->second;
        if (slot + 1 < slots_ && (after == runs_.end() || after->first > slot + 1)) {
            run rest = before;
            rest.is_child = false;
            rest.child.reset();
            rest.read_by.reset();
            runs_.emplace(slot + 1, rest);
        }
        return runs_.emplace(slot, before).first->second;
    }

    // Of a part of an array, its entries have the numbers that the steps tell.
    std::uint64_t first_number() const {
        const explained_node& node = *tree_node_.node;
        const std::uint64_t each = node.bytes / slots_;
        return node.bits == 0 && each > 0 && node.bytes == each * slots_ && node.offset % each == 0
                   ? node.offset / each
                   : 0;
    }

    // The slot that a step reads, if that can be told.
    std::optional<std::uint64_t> slot_of(const explained_step& step) const {
        const explained_node& node = *tree_node_.node;
        if (step.with == compared::nothing && step.bits == node.bits && step.bits > 0 && step.slot < slots_)
            return step.slot;
        // Of an array, the place in it tells which.
        if (step.bytes > 0 && step.offset >= node.offset && node.bytes == slots_ * step.bytes)
            return (step.offset - node.offset) / step.bytes;
        return std::nullopt;
    }

    const forest& tree_;
    const tree_node& tree_node_;
    std::uint64_t slots_ = 1;
    std::map<std::uint64_t, run> runs_;
};

} // namespace

piece slots_of(const forest& tree, std::size_t index, double width) {
    const runs_writer runs(tree, index);
    // Edges begin below the last row.
    const std::size_t rows = tree.at(index).children.empty() ? many_rows : 1;
    return rows_of(runs.cells(), width, rows, slots_of_children(tree, index));
}

piece bucket_of(const forest& tree, std::size_t index, double width) {
    std::vector<cell> cells;
    for (const std::size_t child : tree.at(index).children) {
        const tree_node& one = tree.at(child);
        const explained_node& node = *one.node;
        cell made{.top = node.prefix.empty() ? node.kind : node.prefix,
                  .name = own_answer(node),
                  .classes = node_classes(tree, child),
                  .attributes = node_attributes(tree, child),
                  .slot = node.slot,
                  .is_wanted = one.is_read};
        if (const std::string numbers = step_numbers(one.steps); !numbers.empty())
            made.top = numbers + ": " + made.top;
        cells.push_back(std::move(made));
    }
    return rows_of(cells, width, many_rows, {});
}

} // namespace fingerpost::cli::drawing
