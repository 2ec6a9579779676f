// Drawings of all kinds of structures: they show what the lookup steps read, fit their width, are well-formed
// for any text in the table, and no text or box overlaps another one.
#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "cli/explain/bitmap_words.hpp"
#include "cli/explain/drawing/drawing.hpp"
#include "cli/explain/drawing/structure.hpp"
#include "tests/support/drawn_structures.hpp"

namespace fingerpost::cli {
namespace {

using drawing::element;
using drawing::piece;
using drawing::shape;

constexpr double widths[] = {360, 1000};

struct area {
    double left = 0, top = 0, right = 0, bottom = 0;
    const element* of = nullptr;
};
bool has_class(const element& e, const std::string& name) {
    return (" " + e.classes + " ").find(" " + name + " ") != std::string::npos;
}
area area_of(const element& e) {
    if (e.what != shape::text)
        return {e.at.x, e.at.y, e.at.x + e.width, e.at.y + e.height, &e};
    const double left = has_class(e, "from")   ? e.at.x
                        : has_class(e, "upto") ? e.at.x - e.width
                                               : e.at.x - e.width / 2;
    return {left, e.at.y - 0.72 * e.height, left + e.width, e.at.y + 0.2 * e.height, &e};
}
bool are_apart(const area& a, const area& b) {
    constexpr double slack = 0.3;
    return a.right <= b.left + slack || b.right <= a.left + slack || a.bottom <= b.top + slack ||
           b.bottom <= a.top + slack;
}
bool is_within(const area& inner, const area& outer) {
    constexpr double slack = 0.3;
    return inner.left >= outer.left - slack && inner.right <= outer.right + slack &&
           inner.top >= outer.top - slack && inner.bottom <= outer.bottom + slack;
}
std::string told(const area& a) {
    return a.of->classes + " '" + a.of->text + "' at " + std::to_string(a.left) + " " +
           std::to_string(a.top) + " to " + std::to_string(a.right) + " " + std::to_string(a.bottom);
}

// Checks that texts do not touch each other or the border of a box, that boxes are nested or apart, and that
// everything is inside the picture.
void expect_tidy(const piece& drawn, double width, const std::string& what) {
    std::vector<area> texts, boxes;
    for (const element& e : drawn.elements) {
        if (e.what == shape::text)
            texts.push_back(area_of(e));
        else if (e.what == shape::box && !has_class(e, "at") && !has_class(e, "mini") &&
                 !has_class(e, "mini-set") && !has_class(e, "mini-other"))
            boxes.push_back(area_of(e));
    }
    std::size_t faults = 0;
    const auto fault = [&](const area& a, const std::string& words) {
        if (++faults < 5)
            ADD_FAILURE() << what << ", " << width << " wide: " << told(a) << ' ' << words;
    };
    const area whole{0, 0, width, drawn.height, nullptr};
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (!is_within(texts[i], whole))
            fault(texts[i], "is out of the picture");
        for (std::size_t k = i + 1; k < texts.size(); ++k)
            if (!are_apart(texts[i], texts[k]))
                fault(texts[i], "lies over " + told(texts[k]));
        for (const area& box : boxes)
            if (!are_apart(texts[i], box) && !is_within(texts[i], box))
                fault(texts[i], "crosses the rim of " + told(box));
    }
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (!is_within(boxes[i], whole))
            fault(boxes[i], "is out of the picture");
        for (std::size_t k = i + 1; k < boxes.size(); ++k)
            if (!are_apart(boxes[i], boxes[k]) && !is_within(boxes[i], boxes[k]) &&
                !is_within(boxes[k], boxes[i]))
                fault(boxes[i], "overlaps " + told(boxes[k]));
    }
    EXPECT_GT(boxes.size() + texts.size() + drawn.elements.size(), 0U);
}

// Checks that tags nest, that attributes are quoted and unique, and that characters and entities are valid.
testing::AssertionResult is_well_formed(const std::string& xml) {
    std::vector<std::string> open;
    for (std::size_t at = 0; at < xml.size();) {
        const unsigned char c = static_cast<unsigned char>(xml[at]);
        if (c < 0x20 && c != '\n')
            return testing::AssertionFailure() << "control character " << int{c} << " at " << at;
        if (xml[at] == '&') {
            const std::string entity = xml.substr(at, xml.find(';', at) - at);
            if (entity != "&amp" && entity != "&lt" && entity != "&gt" && entity != "&quot")
                return testing::AssertionFailure() << "entity " << entity;
        }
        if (xml[at] != '<') {
            ++at;
            continue;
        }
        const std::size_t end = xml.find('>', at);
        std::string tag = xml.substr(at + 1, end - at - 1);
        at = end + 1;
        if (tag.starts_with('/')) {
            if (open.empty() || open.back() != tag.substr(1))
                return testing::AssertionFailure() << "</" << tag << "> closes nothing";
            open.pop_back();
            continue;
        }
        const bool is_empty = tag.ends_with('/');
        if (is_empty)
            tag.pop_back();
        if (tag.find('<') != std::string::npos || std::count(tag.begin(), tag.end(), '"') % 2 != 0)
            return testing::AssertionFailure() << "tag " << tag;
        std::set<std::string> names;
        for (std::size_t k = tag.find(' '); k < tag.size(); k = tag.find('"', tag.find('"', k) + 1) + 1) {
            const std::size_t equals = tag.find('=', k);
            if (equals == std::string::npos || tag[equals + 1] != '"' ||
                !names.insert(tag.substr(k + 1, equals - k - 1)).second)
                return testing::AssertionFailure() << "attributes of " << tag;
        }
        if (!is_empty)
            open.push_back(tag.substr(0, tag.find(' ')));
    }
    if (!open.empty())
        return testing::AssertionFailure() << open.back() << " stays open";
    return testing::AssertionSuccess();
}

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

void expect_right(const explained_lookup& lookup, double width, const std::string& what) {
    const piece drawn = drawing::structure_piece(lookup, width);
    EXPECT_EQ(drawn.width, width) << what;
    expect_tidy(drawn, drawn.width, what);
    const std::string svg = structure_svg(lookup, width);
    EXPECT_TRUE(is_well_formed(svg)) << what;
    for (const explained_step& step : lookup.steps)
        if (step.node) {
            EXPECT_EQ(count_of(svg, "data-node=\"" + std::to_string(*step.node) + "\" data-steps="), 1U)
                << what << ", node " << *step.node;
        }
    for (const explained_node& node : lookup.structure.listed)
        EXPECT_LE(count_of(svg, "data-node=\"" + std::to_string(node.number) + "\""), 1U) << what;
    for (std::size_t i = 0; i < lookup.steps.size(); ++i)
        if (!lookup.steps[i].node) {
            EXPECT_NE(svg.find("data-step=\"" + std::to_string(i + 1) + "\""), std::string::npos) << what;
        }
}

explanation explanation_of(std::vector<explained_lookup> lookups, const std::string& hop) {
    explanation e{
        .input = "10.1.2.200", .address = "10.1.2.200", .family = family::ipv4, .columns = {"next_hop"}};
    e.covers = {{"10.0.0.0/8", {hop}}};
    e.first = e.last = e.address;
    e.lookups = std::move(lookups);
    return e;
}

TEST(drawing, shows_what_steps_read_in_structures_of_each_kind) {
    for (const explained_lookup& lookup : one_of_each_kind("rack-2b"))
        for (const double width : widths)
            expect_right(lookup, width, lookup.structure.listed.front().kind);
}

TEST(drawing, texts_of_the_table_stay_texts) {
    const std::string hop = "<script>\"&'\x01\xff\xc3(\xe2\x80\xae</text>]]>";
    for (const explained_lookup& lookup : one_of_each_kind(hop))
        for (const double width : widths) {
            expect_right(lookup, width, "hostile texts");
            const std::string svg = structure_svg(lookup, width);
            EXPECT_EQ(svg.find("<script"), std::string::npos);
            EXPECT_NE(svg.find("&lt;script&gt;&quot;&amp;'\\x01\\xff"), std::string::npos);
        }
    const std::string svg = svg_file(explanation_of(one_of_each_kind(hop), hop));
    EXPECT_TRUE(is_well_formed(svg));
    EXPECT_EQ(svg.find("<script"), std::string::npos);
}

// The rows that contain slots.
std::set<double> rows_with(const piece& drawn, const std::string& classes) {
    std::set<double> rows;
    for (std::size_t i = 0; i < drawn.elements.size(); ++i) {
        const element& e = drawn.elements[i];
        if (e.what == shape::box && e.classes == classes)
            rows.insert(e.at.y);
        if (e.what == shape::open_group && e.classes.starts_with(classes))
            rows.insert(drawn.elements[i + 1].at.y);
    }
    return rows;
}

TEST(drawing, a_narrow_one_is_laid_out_again) {
    structure_maker one_node;
    explained_node& node = one_node.add(0, 0, "node");
    node.bits = 6;
    node.with = compared::bitmap;
    node.words = {0x8000000000000001};
    node.values = {"0x8000000000000001"};
    one_node.step(0, 5);
    const explained_lookup bitmap = one_node.take();
    EXPECT_EQ(rows_with(drawing::structure_piece(bitmap, 1000), "bit").size(), 1U);
    EXPECT_EQ(rows_with(drawing::structure_piece(bitmap, 360), "bit").size(), 4U);

    explained_lookup keys = rows_of_keys("core");
    keys.steps.pop_back();
    EXPECT_EQ(rows_with(drawing::structure_piece(keys, 1000), "cell key").size(), 1U);
    EXPECT_EQ(rows_with(drawing::structure_piece(keys, 360), "cell key").size(), 2U);
}

TEST(drawing, bitmaps_have_names_and_show_the_match) {
    structure_maker one_node;
    explained_node& node = one_node.add(0, 0, "node");
    node.bits = 5;
    node.bytes = 16;
    node.with = compared::bitmap;
    node.bitmaps = {{"prefixes", false}, {"children"}};
    node.words = {0x402, 0x300};
    node.values = {"0x402", "0x300"};
    const std::vector<std::string> values = node.values;
    one_node.step(0, 8);
    explained_lookup lookup = one_node.take();
    explained_step& step = lookup.steps[0];
    step.with = compared::bitmap;
    step.bytes = 16;
    step.values = values;
    step.counted = {.first_word = 1, .words = 1, .base = 4, .rank = 0};
    step.counted_before = 8;
    step.matched = matched_bit{10, 3};
    name_bitmaps(step, lookup.structure.listed[0]);
    EXPECT_EQ(lookup.steps[0].counted_in, "children");
    EXPECT_EQ(lookup.steps[0].matched_in, "prefixes");
    const std::string svg = structure_svg(lookup, 1000);
    for (const std::string_view text : {">prefixes<", ">children<", ">the longest prefix of the node<",
                                        ">bits that are counted<", "class=\"match lit\""})
        EXPECT_NE(svg.find(text), std::string::npos) << text;
    // The frame surrounds the bit of the children, which have slots.
    EXPECT_EQ(count_of(svg, "class=\"at lit\""), 1U);
    EXPECT_EQ(svg.find("only fills the node up"), std::string::npos);
    // Bits 0 to 7 are counted, in the bitmap of the children only.
    EXPECT_EQ(count_of(svg, "counted lit"), 8U);
}

TEST(drawing, a_large_table_shows_what_is_around_the_slot_that_is_read) {
    const std::string svg = structure_svg(large_table("rack-2b"), 1000);
    EXPECT_NE(svg.find("data-slot=\"80010\""), std::string::npos);
    EXPECT_EQ(svg.find("data-slot=\"8000000\""), std::string::npos);
    EXPECT_NE(svg.find(">+ 1"), std::string::npos);
}

TEST(drawing, says_how_many_nodes_there_are) {
    explained_lookup lookup = binary_trie("core");
    EXPECT_EQ(structure_svg(lookup, 1000).find("are drawn"), std::string::npos);
    lookup.structure.nodes = 1U << 20;
    lookup.structure.is_whole = false;
    lookup.structure.listed[3].children = 500;
    const std::string svg = structure_svg(lookup, 1000);
    EXPECT_NE(svg.find(">27 of 1,048,576 nodes are drawn.<"), std::string::npos) << svg;
    EXPECT_NE(svg.find(">+ 499<"), std::string::npos);
    EXPECT_NE(
        svg.find(
            "role=\"img\" aria-label=\"made: a structure of 1,048,576 nodes, of which the lookup reads 20 in "
            "20 steps.\""),
        std::string::npos);
}

TEST(drawing, colours_go_from_blue_to_magenta) {
    const std::string svg = structure_svg(rows_of_keys("core"), 1000);
    EXPECT_NE(svg.find("data-node=\"0\" data-steps=\"1\" data-step=\"1\" style=\"--h:240.0\""),
              std::string::npos);
    EXPECT_NE(svg.find("data-node=\"2\" data-steps=\"2\" data-step=\"2\" style=\"--h:345.0\""),
              std::string::npos);
    EXPECT_NE(svg.find("class=\"edge lit\" data-to=\"2\" data-step=\"1\" style=\"--h:240.0\""),
              std::string::npos);
    EXPECT_EQ(count_of(svg, "data-to="), 3U);
}

TEST(drawing, random_structures_of_any_size_fit) {
    std::mt19937 random(7);
    std::size_t tried = 0;
    for (const std::size_t nodes : {1U, 2U, 3U, 5U, 9U, 17U, 40U, 100U, 300U, 1000U, 5000U})
        for (unsigned round = 0; round < (nodes > 500 ? 2 : 8); ++round) {
            const explained_lookup lookup = random_structure(random, nodes);
            for (const double width : widths)
                expect_right(lookup, width, std::to_string(nodes) + " nodes, round " + std::to_string(round));
            ++tried;
        }
    EXPECT_GE(tried, 70U);
}

TEST(drawing, an_empty_structure_is_said_to_be_empty) {
    explained_lookup lookup{.scheme = "made", .shows_steps = true};
    EXPECT_NE(structure_svg(lookup, 360).find("The structure is empty."), std::string::npos);
    explanation e = explanation_of({lookup}, "core");
    e.covers.clear();
    const std::string svg = svg_file(e);
    EXPECT_TRUE(is_well_formed(svg));
    EXPECT_NE(svg.find("10.1.2.200 has no route"), std::string::npos);
}

TEST(drawing, a_file_has_the_steps_as_sentences) {
    const explanation e = explanation_of({rows_of_keys("core")}, "core");
    const std::string svg = svg_file(e);
    EXPECT_TRUE(is_well_formed(svg));
    EXPECT_NE(svg.find("How 10.1.2.200 finds next hop core"), std::string::npos);
    EXPECT_NE(svg.find("prefers-color-scheme:dark"), std::string::npos);
    EXPECT_EQ(count_of(svg, "data-bit="), 32U);
    EXPECT_NE(svg.find("Answer: next hop core."), std::string::npos);
}

} // namespace
} // namespace fingerpost::cli
