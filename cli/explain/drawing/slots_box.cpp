// Nodes with slots for answers or children: a run of slots with one next hop is one cell. A node whose
// children have no slots, as in a hash table, has its children as cells.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>

#include "cli/explain/drawing/boxes.hpp"
#include "cli/explain/drawing/cell_rows.hpp"

namespace fingerpost::cli::drawing {
namespace {

constexpr std::size_t many_rows = 6;

// The contents from a slot on.
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
        for (const explained_answer& answer : node.answers)
            runs_[answer.slot].answer = answer.text;
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
        // Equal answers at the end of an array are not listed.
        for (const std::size_t step : tree_node_.steps)
            if (const std::uint64_t each = tree.step(step).bytes;
                each > 0 && node.bits == 0 && node.bytes % each == 0)
                slots_ = std::max(slots_, node.bytes / each);
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
            const run& content = at->second;
            const std::uint64_t number = first_number() + first, last = first_number() + end - 1;
            cell entry{.top = number == last ? std::to_string(number) : fmt::format("{}-{}", number, last),
                       .name = content.is_child ? "" : content.answer,
                       .slot = first,
                       .slots = end - first};
            if (content.is_child)
                entry.classes = "leads";
            else if (content.answer.empty())
                entry.classes = "empty";
            if (content.read_by) {
                const bool ends = tree_.step(*content.read_by).result == outcome::answered;
                entry.classes += ends ? " lit answer" : " lit";
                entry.attributes = tree_.lit_by(*content.read_by);
                entry.is_wanted = true;
            }
            entry.is_wanted = entry.is_wanted || (content.child && tree_.at(*content.child).is_on_way);
            out.push_back(std::move(entry));
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

    // The number of the first entry, where the node is a section of an array.
    std::uint64_t first_number() const {
        const explained_node& node = *tree_node_.node;
        const std::uint64_t each = node.bytes / slots_;
        return node.bits == 0 && each > 0 && node.bytes == each * slots_ && node.offset % each == 0
                   ? node.offset / each
                   : 0;
    }

    // The slot that a step reads, if it is known.
    std::optional<std::uint64_t> slot_of(const explained_step& step) const {
        const explained_node& node = *tree_node_.node;
        if (step.with == compared::nothing && step.bits == node.bits && step.bits > 0 && step.slot < slots_)
            return step.slot;
        // In an array, the offset gives the slot.
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
        const tree_node& member = tree.at(child);
        const explained_node& node = *member.node;
        cell entry{.top = node.prefix.empty() ? node.kind : node.prefix,
                   .name = own_answer(node),
                   .classes = node_classes(tree, child),
                   .attributes = node_attributes(tree, child),
                   .slot = node.slot,
                   .is_wanted = member.is_read};
        if (const std::string numbers = step_numbers(member.steps); !numbers.empty())
            entry.top = numbers + ": " + entry.top;
        cells.push_back(std::move(entry));
    }
    return rows_of(cells, width, many_rows, {});
}

} // namespace fingerpost::cli::drawing
