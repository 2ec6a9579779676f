// Which words of a node a step reads.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/explain/explanation.hpp"

namespace fingerpost::cli {

inline std::size_t words_of_bitmap(const explained_node& node) {
    return node.bitmaps.empty() ? node.words.size() : node.words.size() / node.bitmaps.size();
}

// Returns the position in the node of each word of the step; nothing if the step reads other words. The words
// are adjacent, or there is one from each bitmap. If several positions have these words, the one nearest to
// the read wins.
inline std::vector<std::size_t> words_in_node(const explained_step& step, const explained_node& node) {
    const std::size_t count = step.values.size(), each = words_of_bitmap(node);
    if (step.with != compared::bitmap || count == 0 || count > node.words.size() || node.bytes == 0)
        return {};
    std::optional<std::size_t> best;
    std::size_t best_stride = 1;
    double least = 0;
    const auto try_all = [&](std::size_t stride, std::size_t units) {
        const double sought = static_cast<double>(step.offset - node.offset) /
                              static_cast<double>(node.bytes) * static_cast<double>(units);
        // A bitmap is read whole, or a word of it.
        const std::size_t apart = stride == 1 ? count : 1;
        for (std::size_t first = 0; first + (count - 1) * stride < node.words.size(); first += apart) {
            bool is_here = true;
            for (std::size_t i = 0; is_here && i < count; ++i)
                is_here = step.values[i] == node.values[first + i * stride];
            const double away = std::abs(static_cast<double>(first) - sought);
            if (is_here && (!best || away < least)) {
                best = first;
                best_stride = stride;
                least = away;
            }
        }
    };
    if (count == node.bitmaps.size() && each > 1)
        try_all(each, each);
    if (!best)
        try_all(1, node.words.size());
    std::vector<std::size_t> places;
    for (std::size_t i = 0; best && i < count; ++i)
        places.push_back(*best + i * best_stride);
    return places;
}

// Adds the names of the bitmaps that the step reads, and what it finds in them.
inline void name_bitmaps(explained_step& step, const explained_node& node) {
    step.node_words = words_in_node(step, node);
    if (step.node_words.empty() || node.bitmaps.empty())
        return;
    const std::size_t each = words_of_bitmap(node), counted = step.node_words[step.counted.first_word] / each;
    step.counted_in = node.bitmaps[counted].name;
    if (step.matched) {
        const std::size_t word = step.node_words[step.matched->bit / 64];
        step.matched_in = node.bitmaps[word / each].name;
        step.matched_slot = word % each * 64 + step.matched->bit % 64;
    }
    const std::size_t slot_word = step.slot / 64;
    for (const std::size_t word : step.node_words) {
        const std::size_t bitmap = word / each;
        if (!node.bitmaps[bitmap].has_slots)
            step.misses_prefixes = !step.matched;
        else if (slot_word < each && step.counted.words != 0 &&
                 (bitmap < counted || step.counts_to_match()) &&
                 (node.words[bitmap * each + slot_word] >> step.slot % 64 & 1) == 0)
            step.unset_in = node.bitmaps[bitmap].name;
    }
}

} // namespace fingerpost::cli
