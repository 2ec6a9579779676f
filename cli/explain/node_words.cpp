// A node's own next hop comes first, then what it compares, its numbers, and the answers of its slots.
#include "cli/explain/node_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>

#include "cli/writers/grouped.hpp"

namespace fingerpost::cli {
namespace {

constexpr std::string_view branch_number = "bit";

std::string keys_in_words(const explained_node& node) {
    const std::span keys = std::span(node.values).first(node.values.size() - node.padding);
    const std::string words = fmt::format("{} {}", keys.size() == 1 ? "key" : "keys", fmt::join(keys, " "));
    if (node.padding == 0)
        return words;
    const std::string fillers = fmt::format("{} filler{}", node.padding, node.padding == 1 ? "" : "s");
    return keys.empty() ? fillers : words + " and " + fillers;
}

std::string words_of_bitmaps(const explained_node& node) {
    if (node.bitmaps.empty())
        return fmt::format("bitmap {}", fmt::join(node.values, " "));
    const std::size_t each = node.values.size() / node.bitmaps.size();
    std::string words;
    for (std::size_t i = 0; i < node.bitmaps.size(); ++i)
        words += fmt::format("{}{} {}", i == 0 ? "" : "; ", node.bitmaps[i].name,
                             fmt::join(std::span(node.values).subspan(i * each, each), " "));
    return words;
}

} // namespace

std::string bit_range(unsigned first, unsigned bits) {
    return bits == 1 ? fmt::format("bit {}", first) : fmt::format("bits {} to {}", first, first + bits - 1);
}

std::string range_of(const explained_node& node) {
    return !node.prefix.empty() ? node.prefix : fmt::format("{} to {}", node.first, node.last);
}

std::optional<unsigned> branch_bit(const explained_node& node) {
    for (const auto& [name, value] : node.numbers)
        if (name == branch_number)
            return static_cast<unsigned>(value);
    return std::nullopt;
}

std::string own_answer(const explained_node& node) {
    return node.answers.size() == 1 && node.values.size() <= 1 && node.words.empty() ? node.answers[0].text
                                                                                     : "";
}

std::vector<node_fact> facts_of(const explained_node& node) {
    std::vector<node_fact> facts;
    const std::string hop = own_answer(node);
    if (!hop.empty())
        facts.push_back({"next hop " + hop, true});
    const bool has_keys = node.with == compared::keys && !node.values.empty();
    // A single key may be the prefix.
    const bool is_prefix = node.values.size() == 1 && node.prefix.ends_with(fmt::format("/{}", node.bits));
    if (has_keys && !is_prefix)
        facts.push_back({keys_in_words(node), node.values.size() > 1});
    else if (node.with == compared::bitmap && !node.values.empty())
        facts.push_back({words_of_bitmaps(node), true});
    if (node.bits > 0)
        facts.push_back({(has_keys ? "compares " : "") + bit_range(node.first_bit, node.bits)});
    for (const auto& [name, value] : node.numbers)
        facts.push_back({name == branch_number ? fmt::format("branches on bit {}", value)
                                               : fmt::format("{} = {}", name, grouped(value))});
    if (hop.empty() && !node.answers.empty()) {
        std::string answers = "answers";
        for (const explained_answer& answer : node.answers)
            answers += fmt::format(" {}:{}", answer.slot, answer.text.empty() ? "-" : answer.text);
        facts.push_back({std::move(answers), true});
    }
    return facts;
}

} // namespace fingerpost::cli
