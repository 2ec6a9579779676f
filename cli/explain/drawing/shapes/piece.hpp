// Pieces of a drawing: shapes and texts with their places, which are put together to larger pieces and
// written as SVG at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/explain/drawing/shapes/text_width.hpp"

namespace fingerpost::cli::drawing {

struct point {
    double x = 0;
    double y = 0;
};

enum class shape : std::uint8_t { open_group, close_group, box, circle, line, curve, text };

// A box has its upper left corner at `at`, a circle its middle, a text the place on its baseline from which,
// around which or up to which it is written. A line goes through `points`; a curve bends from the first to
// the second of them and goes on straight.
struct element {
    shape what = shape::box;
    point at{};
    double width = 0; // of a circle, the diameter; of a text, the result of text_width()
    double height = 0;
    std::vector<point> points{};
    font face = font::plain;
    std::string classes{};
    std::string attributes{}; // all others, as in the SVG
    std::string text{};       // any bytes; of a group, its title
};

struct piece {
    double width = 0;
    double height = 0;
    double entry = 0;                       // where, along its top, the edge from the parent ends
    std::map<std::uint64_t, point> exits{}; // where the edges to children begin, by their slots
    std::vector<element> elements{};

    void open(std::string classes, std::string attributes = {}, std::string title = {});
    void close();
    void box(point at, double w, double h, std::string classes, std::string attributes = {});
    // Slanted lines within a box.
    void hatch(point at, double w, double h);
    void circle(point middle, double diameter, std::string classes);
    // Nothing is drawn if the text is empty.
    void text(point left, font face, std::string_view words, std::string_view classes = {});
    void text_middle(point middle, font face, std::string_view words, std::string_view classes = {});
    void text_right(point right, font face, std::string_view words, std::string_view classes = {});
    void line(std::vector<point> points, std::string classes, std::string attributes = {});
    void curve(std::vector<point> points, std::string classes, std::string attributes = {});

    // Its elements, moved. Exits and sizes are the caller's.
    void add(const piece& other, point by);
    void add(piece&& other, point by);
};

// The elements as SVG, without the root.
std::string svg_of(const piece& drawn);

} // namespace fingerpost::cli::drawing
