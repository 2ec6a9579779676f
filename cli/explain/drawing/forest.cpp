// Links the listed nodes, which come depth first, so that parents are before their children.
#include "cli/explain/drawing/forest.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

namespace fingerpost::cli::drawing {

bool has_word_for_each_slot(const explained_node& node) {
    return node.bits > 6 && node.bits < 40 && node.words.size() == std::uint64_t{1} << node.bits;
}

forest::forest(const explained_lookup& lookup) : lookup_(&lookup) {
    link();
    note_steps();
}

void forest::link() {
    const std::vector<explained_node>& listed = lookup_->structure.listed;
    std::unordered_map<std::size_t, std::size_t> index_of;
    is_bit_by_bit_ = listed.size() > 2;
    for (const explained_node& node : listed) {
        const std::size_t index = nodes_.size();
        nodes_.push_back({.node = &node});
        index_of.emplace(node.number, index);
        const auto above = node.parent ? index_of.find(*node.parent) : index_of.end();
        if (above == index_of.end()) {
            parents_.emplace_back();
            roots_.push_back(index);
        } else {
            parents_.emplace_back(above->second);
            nodes_[above->second].children.push_back(index);
        }
        is_bit_by_bit_ = is_bit_by_bit_ && node.bits <= 1 && (node.bits == 0 || node.first_bit == node.level);
    }
    for (tree_node& node : nodes_)
        std::stable_sort(node.children.begin(), node.children.end(), [&](std::size_t a, std::size_t b) {
            return nodes_[a].node->slot < nodes_[b].node->slot;
        });
    for (std::size_t i = nodes_.size(); i-- > 0;) {
        nodes_[i].below += std::max(nodes_[i].node->children, nodes_[i].children.size());
        if (parents_[i])
            nodes_[*parents_[i]].below += nodes_[i].below;
    }
}

void forest::note_steps() {
    std::unordered_map<std::size_t, std::size_t> index_of;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
        index_of.emplace(nodes_[i].node->number, i);
    for (std::size_t i = 0; i < lookup_->steps.size(); ++i) {
        const explained_step& step = lookup_->steps[i];
        const auto read = step.node ? index_of.find(*step.node) : index_of.end();
        if (read == index_of.end())
            continue;
        tree_node& node = nodes_[read->second];
        node.steps.push_back(i);
        node.is_read = true;
        node.has_answer = node.has_answer || step.result == outcome::answered;
    }
    for (std::size_t i = nodes_.size(); i-- > 0;) {
        tree_node& node = nodes_[i];
        node.drawn = form_of(node);
        // Without steps the nodes that cover the address are what there is to see.
        const bool is_wanted = node.is_read || (lookup_->steps.empty() && node.node->is_on_path);
        node.is_on_way = node.is_on_way || is_wanted;
        node.is_spread = node.is_spread || (node.is_on_way && node.drawn != form::dot);
        if (parents_[i]) {
            tree_node& above = nodes_[*parents_[i]];
            above.is_on_way = above.is_on_way || node.is_on_way;
            above.is_spread = above.is_spread || node.is_spread;
        }
    }
}

form forest::form_of(const tree_node& tree) const {
    const explained_node& node = *tree.node;
    if (node.with == compared::bitmap && !node.words.empty())
        return has_word_for_each_slot(node) ? form::slots : form::bits;
    if (node.values.size() > 1)
        return form::keys;
    const bool has_slots = std::any_of(tree.children.begin(), tree.children.end(),
                                       [&](std::size_t child) { return nodes_[child].node->slot > 0; });
    // A trie may have some children, a table has many slots.
    constexpr std::uint64_t most_at_a_dot = 15;
    if (node.answers.size() > 1 || (has_slots && nodes_[tree.children.back()].node->slot > most_at_a_dot))
        return form::slots;
    const auto is_leaf = [&](std::size_t child) {
        return nodes_[child].children.empty() && nodes_[child].drawn == form::dot;
    };
    if (!has_slots && tree.children.size() > 1 &&
        std::all_of(tree.children.begin(), tree.children.end(), is_leaf))
        return form::bucket;
    return form::dot;
}

double forest::hue(std::size_t step) const {
    constexpr double first = 240, last = 345;
    const std::size_t count = lookup_->steps.size();
    return count < 2 ? first
                     : first + (last - first) * static_cast<double>(step) / static_cast<double>(count - 1);
}

std::string forest::lit_by(std::size_t step) const {
    return fmt::format("data-step=\"{}\" style=\"--h:{:.1f}\"", step + 1, hue(step));
}

std::optional<std::size_t> forest::step_to(std::size_t index) const {
    const tree_node& node = nodes_[index];
    if (!node.is_on_way)
        return std::nullopt;
    const auto own = node.steps.empty() ? lookup_->steps.size() : node.steps.front();
    std::optional<std::size_t> last;
    if (parents_[index])
        for (const std::size_t step : nodes_[*parents_[index]].steps)
            if (step < own)
                last = step;
    if (!last && !node.steps.empty())
        last = node.steps.front();
    return last;
}

} // namespace fingerpost::cli::drawing
