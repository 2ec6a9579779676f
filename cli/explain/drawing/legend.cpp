// Each sign is drawn as in the drawing itself, as high as a line of text.
#include "cli/explain/drawing/legend.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace fingerpost::cli::drawing {
namespace {

constexpr double legend_line = 17, sign_width = 20, between_signs = 16;
constexpr point sign_middle{7, 8};

struct sign {
    shape what;
    std::string_view classes; // all of an element that has the sign
    std::string_view meaning;
};
constexpr auto signs = std::to_array<sign>({
    {shape::circle, "dot", "a node"},
    {shape::box, "dot", "a node with a next hop"},
    {shape::box, "mini", "small: a node that is not read"},
    {shape::line, "hatch", "filler"},
    {shape::line, "torn", "keys left out"},
    {shape::box, "counted", "bits that are counted"},
    {shape::box, "at", "the bit of the address"},
    {shape::box, "match", "the longest prefix of the node"},
});

bool has_word(std::string_view text, std::string_view word) {
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || text[at - 1] == ' ') && (end == text.size() || text[end] == ' '))
            return true;
    }
    return false;
}

void put(piece& out, const sign& symbol, point at) {
    const point middle{at.x + sign_middle.x, at.y + sign_middle.y};
    const auto box = [&](double side, std::string classes) {
        out.box({middle.x - side / 2, middle.y - side / 2}, side, side, std::move(classes));
    };
    if (symbol.what == shape::circle) {
        out.circle(middle, 8, "dot");
    } else if (symbol.classes == "hatch") {
        box(12, "mini");
        out.hatch({middle.x - 6, middle.y - 6}, 12, 12);
    } else if (symbol.what == shape::line) {
        out.line({{middle.x, middle.y - 7}, {middle.x, middle.y + 7}}, std::string(symbol.classes));
    } else if (symbol.classes == "dot") {
        box(8, "dot");
    } else if (symbol.classes == "counted") {
        box(12, "bit set counted sample");
    } else if (symbol.classes == "match") {
        box(12, "match sample");
    } else {
        box(12, symbol.classes == "at" ? "at sample" : std::string(symbol.classes));
    }
}

} // namespace

piece legend_of(const piece& drawn, double width) {
    piece out;
    point at{};
    for (const sign& symbol : signs) {
        const auto shows = [&](const element& e) {
            return e.what == symbol.what && has_word(e.classes, symbol.classes);
        };
        if (std::none_of(drawn.elements.begin(), drawn.elements.end(), shows))
            continue;
        const double wide = sign_width + text_width(symbol.meaning, font::plain);
        if (at.x > 0 && at.x + wide > width)
            at = {0, at.y + legend_line};
        put(out, symbol, at);
        out.text({at.x + sign_width, at.y + 12}, font::plain, symbol.meaning, "quiet");
        at.x += wide + between_signs;
        out.width = std::max(out.width, at.x - between_signs);
        out.height = at.y + legend_line;
    }
    return out;
}

} // namespace fingerpost::cli::drawing
