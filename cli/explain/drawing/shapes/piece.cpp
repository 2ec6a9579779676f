// Writes one element per line, with one digit after the decimal point.
#include "cli/explain/drawing/shapes/piece.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include "cli/writers/xml_text.hpp"

namespace fingerpost::cli::drawing {
namespace {

std::string number(double n) {
    std::string out = fmt::format("{:.1f}", n);
    if (out.ends_with(".0"))
        out.resize(out.size() - 2);
    return out == "-0" ? "0" : out;
}

std::string place(point p) {
    return number(p.x) + " " + number(p.y);
}

std::string data_of(const element& e) {
    std::string out = "M" + place(e.points.front());
    std::size_t next = 1;
    if (e.what == shape::curve) {
        const point a = e.points[0], b = e.points[1];
        const double middle = (a.y + b.y) / 2;
        out += "C" + place({a.x, middle}) + " " + place({b.x, middle}) + " " + place(b);
        next = 2;
    }
    for (; next < e.points.size(); ++next)
        out += "L" + place(e.points[next]);
    return out;
}

void write(std::string& out, const element& e) {
    const std::string space = e.attributes.empty() ? "" : " ";
    const std::string named = fmt::format(" class=\"{}\"{}{}", e.classes, space, e.attributes);
    const auto to = std::back_inserter(out);
    switch (e.what) {
    case shape::open_group:
        fmt::format_to(to, "<g{}>", named);
        if (!e.text.empty())
            fmt::format_to(to, "<title>{}</title>", xml_text(e.text));
        break;
    case shape::close_group:
        out += "</g>";
        break;
    case shape::box:
        fmt::format_to(to, "<rect{} x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>", named, number(e.at.x),
                       number(e.at.y), number(e.width), number(e.height));
        break;
    case shape::circle:
        fmt::format_to(to, "<circle{} cx=\"{}\" cy=\"{}\" r=\"{}\"/>", named, number(e.at.x), number(e.at.y),
                       number(e.width / 2));
        break;
    case shape::line:
    case shape::curve:
        fmt::format_to(to, "<path{} d=\"{}\"/>", named, data_of(e));
        break;
    case shape::text:
        fmt::format_to(to, "<text{} x=\"{}\" y=\"{}\">{}</text>", named, number(e.at.x), number(e.at.y),
                       xml_text(e.text));
        break;
    }
    out += '\n';
}

} // namespace

void piece::open(std::string classes, std::string attributes, std::string title) {
    elements.push_back({.what = shape::open_group,
                        .classes = std::move(classes),
                        .attributes = std::move(attributes),
                        .text = std::move(title)});
}
void piece::close() {
    elements.push_back({.what = shape::close_group});
}
void piece::box(point at, double w, double h, std::string classes, std::string attributes) {
    elements.push_back({.what = shape::box,
                        .at = at,
                        .width = w,
                        .height = h,
                        .classes = std::move(classes),
                        .attributes = std::move(attributes)});
}
void piece::hatch(point at, double w, double h) {
    constexpr double step = 7;
    for (double begin = step; begin < w + h; begin += step)
        line({{at.x + std::min(begin, w), at.y + std::max(0.0, begin - w)},
              {at.x + std::max(0.0, begin - h), at.y + std::min(begin, h)}},
             "hatch");
}
void piece::circle(point middle, double diameter, std::string classes) {
    elements.push_back({.what = shape::circle,
                        .at = middle,
                        .width = diameter,
                        .height = diameter,
                        .classes = std::move(classes)});
}

void piece::text_middle(point middle, font face, std::string_view words, std::string_view classes) {
    if (words.empty())
        return;
    elements.push_back({.what = shape::text,
                        .at = middle,
                        .width = text_width(words, face),
                        .height = size_of(face),
                        .face = face,
                        .classes = fmt::format("{}{}{}", class_of(face), classes.empty() ? "" : " ", classes),
                        .text = std::string(words)});
}
void piece::text(point left, font face, std::string_view words, std::string_view classes) {
    if (words.empty())
        return;
    text_middle({left.x, left.y}, face, words, fmt::format("{}{}from", classes, classes.empty() ? "" : " "));
}
void piece::text_right(point right, font face, std::string_view words, std::string_view classes) {
    if (words.empty())
        return;
    text_middle({right.x, right.y}, face, words,
                fmt::format("{}{}upto", classes, classes.empty() ? "" : " "));
}

void piece::line(std::vector<point> points, std::string classes, std::string attributes) {
    elements.push_back({.what = shape::line,
                        .points = std::move(points),
                        .classes = std::move(classes),
                        .attributes = std::move(attributes)});
}
void piece::curve(std::vector<point> points, std::string classes, std::string attributes) {
    line(std::move(points), std::move(classes), std::move(attributes));
    elements.back().what = shape::curve;
}

void piece::add(const piece& other, point by) {
    piece copy = other;
    add(std::move(copy), by);
}

void piece::add(piece&& other, point by) {
    for (element& e : other.elements) {
        e.at = {e.at.x + by.x, e.at.y + by.y};
        for (point& p : e.points)
            p = {p.x + by.x, p.y + by.y};
        elements.push_back(std::move(e));
    }
}

std::string svg_of(const piece& drawn) {
    std::string out;
    for (const element& e : drawn.elements)
        write(out, e);
    return out;
}

} // namespace fingerpost::cli::drawing
