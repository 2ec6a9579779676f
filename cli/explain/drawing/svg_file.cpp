// The document: a heading, then for each scheme the bits of the address, the structure and the steps as
// sentences.
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "cli/explain/drawing/address_bits.hpp"
#include "cli/explain/drawing/boxes.hpp"
#include "cli/explain/drawing/drawing.hpp"
#include "cli/explain/drawing/structure.hpp"
#include "cli/writers/xml_text.hpp"

namespace fingerpost::cli {
namespace {

using drawing::font;
using drawing::piece;

constexpr double page_width = 1040;
constexpr double page_margin = 20;
constexpr double inner = page_width - 2 * page_margin;
constexpr double sentence_line = 19;

class page_writer {
  public:
    explicit page_writer(const explanation& e) : explanation_(e) {}

    std::string write() {
        const std::string title =
            explanation_.covers.empty()
                ? fmt::format("{} has no route", explanation_.address)
                : fmt::format("How {} finds {}", explanation_.address, explanation_.answer());
        put_text(title, font::head, {});
        y_ += 8;
        for (const explained_lookup& lookup : explanation_.lookups)
            put_lookup(lookup);
        y_ += page_margin - 8;
        return fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"structure\" role=\"img\" aria-label=\"{}\" "
            "width=\"{:.0f}\" height=\"{:.0f}\" viewBox=\"0 0 {:.0f} {:.0f}\">\n<style>\n{}</style>\n"
            "<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n{}</svg>\n",
            xml_text(title + "."), width_, y_, width_, y_, drawing_css(), svg_of(out_));
    }

  private:
    void put_lookup(const explained_lookup& lookup) {
        y_ += 14;
        out_.line({{page_margin, y_}, {page_width - page_margin, y_}}, "edge");
        y_ += 6;
        put_text(fmt::format("{}: {}", lookup.scheme, lookup.summary), font::head, {});
        if (!lookup.shows_steps) {
            put_text("This scheme does not show its steps.", font::body, {});
        } else if (lookup.steps.empty()) {
            put_text("The table is empty, so there is nothing to read.", font::body, {});
        } else {
            y_ += 8;
            put(drawing::address_bits(explanation_, lookup, inner));
            y_ += 14;
        }
        if (!lookup.structure.listed.empty()) {
            put(drawing::structure_piece(lookup, inner));
            y_ += 8;
        }
        const drawing::forest tree(lookup);
        for (std::size_t i = 0; i < lookup.steps.size(); ++i)
            put_text(sentence_of(lookup.steps[i], explanation_), font::body, {&tree, i});
    }

    void put(piece&& drawn) {
        const double height = drawn.height;
        width_ = std::max(width_, drawn.width + 2 * page_margin);
        out_.add(std::move(drawn), {page_margin, y_});
        y_ += height;
    }

    struct numbered {
        const drawing::forest* tree = nullptr;
        std::size_t step = 0;
    };
    // Wraps the text; the number of a step comes first.
    void put_text(const std::string& text, font face, numbered with) {
        double left = page_margin;
        y_ += sentence_line;
        if (with.tree != nullptr) {
            drawing::point at{page_margin, y_ - 1};
            put_step_numbers(out_, *with.tree, {with.step}, at);
            left += 36;
        }
        std::string line;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find(' ', at + 1), text.size());
            const std::string word = text.substr(at, end - at);
            if (!line.empty() && left + text_width(line + word, face) > page_width - page_margin) {
                out_.text({left, y_}, face, line);
                y_ += sentence_line;
                line.clear();
            }
            line += line.empty() && word.starts_with(' ') ? word.substr(1) : word;
            at = end;
        }
        out_.text({left, y_}, face, line);
    }

    const explanation& explanation_;
    piece out_;
    double width_ = page_width;
    double y_ = page_margin - 6;
};

} // namespace

std::string svg_file(const explanation& e) {
    return page_writer(e).write();
}

} // namespace fingerpost::cli
