// The frame of a node: its head is a list of short texts, which go on in a second line where one has no room.
#include "cli/explain/drawing/boxes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/writers/grouped.hpp"

namespace fingerpost::cli::drawing {
namespace {

constexpr double text_padding = 10;
constexpr double text_line = 17;

struct words {
    std::string text{};
    font face = font::plain;
    std::string_view classes = "quiet";
};

std::vector<words> head_of(const explained_node& node) {
    std::vector<words> head{{node.kind, font::bold, ""}};
    if (!node.prefix.empty()) {
        head.push_back({node.prefix, font::plain, ""});
    } else if (!node.first.empty()) {
        // Two texts, because one may be too wide for a line.
        head.push_back({node.first, font::plain, ""});
        head.push_back({"to " + node.last, font::plain, ""});
    }
    for (node_fact& fact : facts_of(node))
        if (!fact.is_drawn)
            head.push_back({std::move(fact.text)});
    if (node.bytes > 0)
        head.push_back({fmt::format("{}, byte {}", node.part, grouped(node.offset))});
    return head;
}

piece contents_of(const forest& tree, std::size_t index, double width) {
    switch (tree.at(index).drawn) {
    case form::keys:
        return keys_of(tree, index, width);
    case form::bits:
        return bitmaps_of(tree, index, width);
    case form::slots:
        return slots_of(tree, index, width);
    case form::bucket:
        return bucket_of(tree, index, width);
    case form::dot:
        break;
    }
    return {};
}

} // namespace

bool is_array(const explained_node& parent, const explained_node& child) {
    return child.bits == 0 && child.slot == 0 && !child.answers.empty() && child.part != parent.part;
}

std::vector<std::uint64_t> slots_of_children(const forest& tree, std::size_t index) {
    std::vector<std::uint64_t> slots;
    for (const std::size_t child : tree.at(index).children)
        slots.push_back(tree.at(child).node->slot);
    return slots;
}

std::string node_attributes(const forest& tree, std::size_t index) {
    const tree_node& node = tree.at(index);
    std::string out = fmt::format("data-node=\"{}\"", node.node->number);
    if (node.steps.empty())
        return out;
    std::vector<std::size_t> numbers = node.steps;
    for (std::size_t& n : numbers)
        ++n;
    return fmt::format("{} data-steps=\"{}\" {}", out, fmt::join(numbers, " "),
                       tree.lit_by(node.steps.back()));
}

std::string node_classes(const forest& tree, std::size_t index) {
    const tree_node& node = tree.at(index);
    return fmt::format("node{}{}", node.is_read ? " lit" : "",
                       node.has_answer && node.drawn == form::dot ? " answer" : "");
}

std::string node_title(const explained_node& node) {
    std::string title = node.first.empty() ? node.kind : fmt::format("{} {}", node.kind, range_of(node));
    for (const node_fact& fact : facts_of(node))
        if (!fact.is_drawn || !own_answer(node).empty())
            title += "; " + fact.text;
    return title;
}

std::string step_numbers(const std::vector<std::size_t>& steps) {
    if (steps.empty())
        return {};
    const std::size_t first = steps.front() + 1, last = steps.back() + 1;
    if (steps.size() == 1)
        return std::to_string(first);
    return fmt::format("{}{}{}", first, steps.size() == last - first + 1 && steps.size() > 2 ? "-" : ", ",
                       last);
}

void put_step_numbers(piece& out, const forest& tree, const std::vector<std::size_t>& steps, point& at) {
    constexpr std::size_t most = 6;
    const auto put = [&](const std::string& text, std::size_t step) {
        const double w = text_width(text, font::bold) + 8;
        out.open("step-number", tree.lit_by(step));
        out.box({at.x, at.y - 12}, w, 16, "badge");
        out.text_middle({at.x + w / 2, at.y}, font::bold, text, "on-badge");
        out.close();
        at.x += w + 4;
    };
    if (steps.size() > most)
        put(step_numbers(steps), steps.back());
    else
        for (const std::size_t step : steps)
            put(std::to_string(step + 1), step);
}

piece full_box(const forest& tree, std::size_t index, double width) {
    const tree_node& node = tree.at(index);
    const double inner = width - 2 * text_padding;
    piece head;
    point at{text_padding, text_padding + 9};
    double right = 0;
    put_step_numbers(head, tree, node.steps, at);
    for (const words& part : head_of(*node.node)) {
        const double w = text_width(part.text, part.face);
        if (w > inner)
            continue;
        if (at.x > text_padding && at.x + w > text_padding + inner)
            at = {text_padding, at.y + text_line};
        head.text(at, part.face, part.text, part.classes);
        right = std::max(right, at.x + w);
        at.x += w + 12;
    }
    right = std::clamp(at.x - 4, right, std::max(right, text_padding + inner));
    piece held = contents_of(tree, index, inner);
    piece out;
    const double below_head = at.y + 9;
    out.width = std::max(right + text_padding, held.width + 2 * text_padding);
    out.height = held.height > 0 ? below_head + held.height + text_padding : at.y + 8;
    out.entry = 16;
    out.open(node_classes(tree, index), node_attributes(tree, index), node_title(*node.node));
    out.box({0, 0}, out.width, out.height, "frame");
    out.add(std::move(head), {0, 0});
    for (const auto& [slot, place] : held.exits)
        out.exits[slot] = {place.x + text_padding, place.y + below_head};
    out.add(std::move(held), {text_padding, below_head});
    out.close();
    return out;
}

} // namespace fingerpost::cli::drawing
