// Dots are as high as a line of text. Thumbnails have the digits above and the label below them.
#include "cli/explain/drawing/figures.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

#include "cli/explain/bitmap_words.hpp"
#include "cli/explain/drawing/boxes.hpp"
#include "cli/writers/grouped.hpp"

namespace fingerpost::cli::drawing {
namespace {

constexpr double dot_row = 16;
constexpr double digits_height = 13;
constexpr double label_height = 15;
constexpr double widest_label = 190;

std::string length_of(const std::string& prefix) {
    const std::size_t slash = prefix.find('/');
    return slash == std::string::npos ? prefix : prefix.substr(slash);
}

// The bits that a node of a trie that skips levels looks at.
std::string bits_of(const forest& tree, const explained_node& node) {
    if (tree.is_bit_by_bit() || node.children == 0)
        return {};
    if (const auto bit = branch_bit(node))
        return bit_range(*bit, 1);
    return node.bits == 0 ? "" : bit_range(node.first_bit, node.bits);
}

std::string dot_label(const forest& tree, std::size_t index, unsigned labels) {
    const tree_node& node = tree.at(index);
    const explained_node& contents = *node.node;
    std::string label;
    const auto add = [&](const std::string& text) {
        if (!text.empty())
            label += (label.empty() ? "" : " ") + text;
    };
    const std::string answer = own_answer(contents);
    // The prefix of a pushed-down leaf does not belong to a route.
    if (!answer.empty() && labels >= 2 && contents.is_route)
        add(labels == 2 ? length_of(contents.prefix) : contents.prefix);
    if (labels >= 1 || node.has_answer)
        add(answer);
    if (label.empty() && labels >= 1)
        add(bits_of(tree, contents));
    if (label.empty() && labels >= 1 && !tree.is_bit_by_bit() && (node.is_read || !tree.parent_of(index)))
        add(contents.kind);
    return text_width(label, font::plain) <= widest_label ? label : "";
}

// The slots of a bitmap as a square; the first bitmap over the second.
double put_bits(piece& out, const explained_node& node, double y) {
    constexpr std::size_t most_words = 4;
    const std::size_t each = words_of_bitmap(node);
    const std::size_t bitmaps = std::min<std::size_t>(node.words.size() / each, 2);
    const std::size_t words = std::min(each, most_words);
    const unsigned side = words > 1 ? 16 : 8;
    const double pixel = words > 1 ? 2 : 3.5, whole = side * pixel;
    out.box({-whole / 2, y}, whole, whole, "mini");
    for (std::size_t bitmap = bitmaps; bitmap-- > 0;)
        for (unsigned row = 0; row * side < words * 64; ++row)
            for (unsigned from = 0; from < side;) {
                const auto is_set = [&](unsigned column) {
                    const unsigned slot = row * side + column;
                    return column < side && (node.words[bitmap * each + slot / 64] >> slot % 64 & 1) != 0;
                };
                unsigned upto = from;
                while (is_set(upto))
                    ++upto;
                if (upto > from)
                    out.box({from * pixel - whole / 2, y + row * pixel}, (upto - from) * pixel, pixel,
                            bitmap == 0 ? "mini-set" : "mini-other");
                from = std::max(upto, from + 1);
            }
    return whole;
}

double put_cells(piece& out, std::size_t count, std::size_t hatched, double y) {
    constexpr std::size_t most = 24, in_row = 8;
    constexpr double w = 7, h = 9;
    const std::size_t shown = std::clamp<std::size_t>(count, 1, most);
    const double whole = w * static_cast<double>(std::min(shown, in_row));
    for (std::size_t i = 0; i < shown; ++i) {
        const point at{static_cast<double>(i % in_row) * w - whole / 2,
                       y + static_cast<double>(i / in_row) * h};
        out.box(at, w, h, "mini");
        if (i + hatched >= count)
            out.hatch(at, w, h);
    }
    return h * static_cast<double>((shown + in_row - 1) / in_row);
}

// A bar for all slots, with a line where a run ends.
double put_bar(piece& out, const explained_node& node, double y) {
    constexpr double w = 48, h = 14;
    out.box({-w / 2, y}, w, h, "mini");
    const std::uint64_t slots =
        std::max<std::uint64_t>(node.bits > 0 && node.bits < 48 ? std::uint64_t{1} << node.bits : 0,
                                node.answers.empty() ? 1 : node.answers.back().slot + 1);
    double last = -1;
    for (const explained_answer& answer : node.answers) {
        const double x = w * static_cast<double>(answer.slot) / static_cast<double>(slots);
        if (answer.slot == 0 || x - last < 2)
            continue;
        out.line({{x - w / 2, y}, {x - w / 2, y + h}}, "mini-cut");
        last = x;
    }
    return h;
}

figure dot(const forest& tree, std::size_t index, unsigned labels, const std::string& digits) {
    const tree_node& node = tree.at(index);
    figure picture{.left = 7, .right = 7, .height = dot_row, .entry = 4, .exit = 12};
    piece& out = picture.drawn;
    out.open(node_classes(tree, index), node_attributes(tree, index), node_title(*node.node));
    if (own_answer(*node.node).empty())
        out.circle({0, 8}, 8, "dot");
    else
        out.box({-4.5, 3.5}, 9, 9, "dot");
    if (!digits.empty()) {
        out.text_right({-7, 11.5}, font::small, digits, "quiet");
        picture.left = 9 + text_width(digits, font::small);
    }
    double x = 8;
    if (const std::string numbers = step_numbers(node.steps); !numbers.empty()) {
        out.text({x, 11.5}, font::small, numbers, "number");
        x += text_width(numbers, font::small) + 4;
    }
    if (const std::string label = dot_label(tree, index, labels); !label.empty()) {
        const font face = node.is_on_way ? font::bold : font::plain;
        out.text({x, 12}, face, label, node.is_on_way ? "label" : "label quiet");
        x += text_width(label, face) + 4;
    }
    picture.right = x;
    out.close();
    return picture;
}

figure thumbnail(const forest& tree, std::size_t index, unsigned labels, const std::string& digits) {
    const tree_node& node = tree.at(index);
    const explained_node& contents = *node.node;
    figure picture;
    piece& out = picture.drawn;
    picture.entry = digits.empty() ? 2 : digits_height;
    out.open(node_classes(tree, index), node_attributes(tree, index), node_title(contents));
    out.text_right({-3, 10}, font::small, digits, "quiet");
    picture.left = text_width(digits, font::small) + 5;
    double high = 0;
    if (node.drawn == form::bits)
        high = put_bits(out, contents, picture.entry);
    else if (node.drawn == form::slots)
        high = put_bar(out, contents, picture.entry);
    else
        high = put_cells(out, node.drawn == form::keys ? contents.values.size() : node.children.size(),
                         contents.padding, picture.entry);
    constexpr double widest_picture = 28;
    picture.left = std::max(picture.left, widest_picture + 2);
    picture.right = widest_picture + 2;
    picture.exit = picture.entry + high;
    picture.height = picture.exit + 4;
    const std::string label = labels == 0               ? ""
                              : labels == 1             ? contents.kind
                              : contents.prefix.empty() ? contents.kind
                              : labels == 2             ? length_of(contents.prefix)
                                                        : contents.prefix;
    if (const double w = text_width(label, font::plain); !label.empty() && w <= widest_label) {
        out.text_middle({0, picture.exit + 12}, font::plain, label, "label quiet");
        picture.left = std::max(picture.left, w / 2 + 3);
        picture.right = std::max(picture.right, w / 2 + 3);
        picture.exit += label_height;
        picture.height = picture.exit + 2;
    }
    out.close();
    return picture;
}

} // namespace

figure figure_of(const forest& tree, std::size_t index, unsigned labels, const std::string& digits) {
    return tree.at(index).drawn == form::dot ? dot(tree, index, labels, digits)
                                             : thumbnail(tree, index, labels, digits);
}

figure count_figure(std::size_t count) {
    const std::string text = "+ " + grouped(count);
    const double w = text_width(text, font::plain) + 8;
    figure picture{.left = w / 2 + 2, .right = w / 2 + 2, .height = dot_row, .entry = 0, .exit = dot_row};
    picture.drawn.box({-w / 2, 0}, w, dot_row, "gap");
    picture.drawn.text_middle({0, 12}, font::plain, text, "quiet");
    return picture;
}

std::string edge_digits(const explained_node& parent, const explained_node& child) {
    constexpr unsigned most_binary = 4;
    if ((parent.bits == 0 && child.slot == 0) || is_array(parent, child))
        return {};
    if (parent.words.empty() && parent.bits > 0 && parent.bits <= most_binary &&
        child.slot < std::uint64_t{1} << parent.bits)
        return fmt::format("{:0{}b}", child.slot, parent.bits);
    return std::to_string(child.slot);
}

} // namespace fingerpost::cli::drawing
