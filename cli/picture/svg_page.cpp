// Lays out the page in units of 1/900 of a panel, whatever its size in pixels.
#include "cli/picture/svg_page.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <string_view>

#include "cli/writers/embedded_bytes.hpp"
#include "cli/writers/xml_text.hpp"

namespace fingerpost::cli {
namespace {

constexpr double panel_side = 900;
constexpr double head_height = 56;
constexpr double foot_height = 108;
constexpr double margin = 20;

std::string color_text(const rgb& c) {
    return fmt::format("#{:02x}{:02x}{:02x}", c.red, c.green, c.blue);
}

class writer {
  public:
    writer(const svg_page& page, unsigned side)
        : page_(page), place_(panel_side, page.rings.back()), side_(side) {}

    std::string write() {
        begin();
        for (std::size_t i = 0; i < page_.panels.size(); ++i)
            put_panel(page_.panels[i], panel_side * static_cast<double>(i));
        put_foot();
        out_ += "</svg>\n";
        return std::move(out_);
    }

  private:
    template <class... T>
    void put(fmt::format_string<T...> form, T&&... values) {
        fmt::format_to(std::back_inserter(out_), form, std::forward<T>(values)...);
    }

    double width() const { return panel_side * static_cast<double>(page_.panels.size()); }
    static double height() { return head_height + panel_side + foot_height; }

    void begin() {
        const theme& c = *page_.colors;
        const double pixels = side_ / panel_side;
        put("<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
            "role=\"img\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {} {}\">\n",
            std::lround(width() * pixels), std::lround(height() * pixels), width(), height());
        put("<title>{}</title>\n", xml_text(page_.title));
        put("<style>\n"
            "text {{ font-family: Helvetica, Arial, \"DejaVu Sans\", sans-serif; font-size: 18px; fill: {} "
            "}}\n"
            ".title {{ font-weight: bold }}\n"
            ".name {{ font-size: 24px; font-weight: bold }}\n"
            ".faint {{ fill: {} }}\n"
            ".ring {{ fill: none; stroke: {}; stroke-width: 0.8 }}\n"
            ".table {{ fill: none; stroke: {}; stroke-width: 3 }}\n"
            ".halo {{ font-size: 19px; stroke: {}; stroke-width: 4px; stroke-linejoin: round; "
            "paint-order: stroke }}\n"
            "</style>\n",
            c.text, c.faint, c.ring, c.table, c.page);
        put("<rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n", c.page);
        // A bold letter is about 2/3 as wide as the font size.
        const double letters = static_cast<double>(std::max<std::size_t>(1, page_.title.size()));
        put("<text class=\"title\" style=\"font-size: {:.1f}px\" x=\"{}\" y=\"40\">{}</text>\n",
            std::min(27.0, (width() - 2 * margin) / (0.67 * letters)), margin, xml_text(page_.title));
    }

    void put_panel(const svg_panel& panel, double left) {
        put("<g transform=\"translate({} {})\">\n", left, head_height);
        // Drawn below the densities, so that leaves and edges that start there stay visible.
        put("<g transform=\"translate({0} {0})\">\n", place_.center());
        for (const drawn_table& table : panel.tables)
            put_arc(table);
        out_ += "</g>\n";
        put("<image width=\"{0}\" height=\"{0}\" xlink:href=\"data:image/png;base64,{1}\"/>\n", panel_side,
            base64(panel.png));
        put("<text class=\"name\" x=\"{}\" y=\"30\">{}</text>\n", margin, xml_text(panel.name));
        double y = 56;
        for (const std::string& line : panel.lines) {
            put("<text class=\"faint\" x=\"{}\" y=\"{}\">{}</text>\n", margin, y, xml_text(line));
            y += 23;
        }
        put("<g transform=\"translate({0} {0})\">\n", place_.center());
        for (const unsigned bits : page_.rings)
            put("<circle class=\"ring\" r=\"{:.2f}\"/>\n", place_.radius(bits));
        for (const named_part& part : page_.parts)
            put_part(part);
        for (const unsigned bits : page_.rings)
            put("<text class=\"halo\" text-anchor=\"middle\" y=\"{:.2f}\">/{}</text>\n",
                6 - place_.radius(bits), bits);
        out_ += "</g>\n</g>\n";
    }

    void put_arc(const drawn_table& table) {
        const double from = dial::angle(table.from), to = dial::angle(table.to);
        // Slightly inside, because leaves and edges start at the radius itself.
        const double radius = place_.radius(table.bits) - 2;
        put("<path class=\"table\" d=\"M{:.2f} {:.2f}A{:.2f} {:.2f} 0 {} 1 {:.2f} {:.2f}\"/>\n",
            radius * std::sin(from), -radius * std::cos(from), radius, radius,
            to - from > std::numbers::pi ? 1 : 0, radius * std::sin(to), -radius * std::cos(to));
    }

    // Its name runs outwards, so that names of small neighbours have room, and is never upside down.
    void put_part(const named_part& part) {
        const double rim = place_.rim();
        for (const double share : {part.from, part.to}) {
            const double angle = dial::angle(share);
            put("<path class=\"ring\" d=\"M{:.2f} {:.2f}L{:.2f} {:.2f}\"/>\n", rim * std::sin(angle),
                -rim * std::cos(angle), (rim + 9) * std::sin(angle), -(rim + 9) * std::cos(angle));
        }
        const double angle = dial::angle((part.from + part.to) / 2);
        const bool is_right = angle < std::numbers::pi;
        put("<text text-anchor=\"{}\" transform=\"translate({:.2f} {:.2f}) rotate({:.2f})\" "
            "y=\"6\">{}</text>\n",
            is_right ? "start" : "end", (rim + 11) * std::sin(angle), -(rim + 11) * std::cos(angle),
            angle * 180 / std::numbers::pi + (is_right ? -90 : 90), xml_text(part.name));
    }

    void put_ramp(std::string_view id, const rgb (&stops)[4], double x, std::string_view name) {
        put("<linearGradient id=\"{}\">", id);
        for (unsigned i = 0; i < 4; ++i)
            put("<stop offset=\"{:.3f}\" stop-color=\"{}\"/>", i / 3.0, color_text(stops[i]));
        put("</linearGradient>\n<rect x=\"{}\" y=\"14\" width=\"120\" height=\"16\" fill=\"url(#{})\"/>\n", x,
            id);
        put("<text x=\"{}\" y=\"28\">{}</text>\n", x + 128, name);
    }

    void put_foot() {
        const theme& c = *page_.colors;
        put("<g transform=\"translate(0 {})\">\n", head_height + panel_side);
        put_ramp("edges", c.edges, margin, "edges");
        put_ramp("leaves", c.leaves, margin + 220, "leaves");
        bool has_tables = false;
        for (const svg_panel& panel : page_.panels)
            has_tables = has_tables || !panel.tables.empty();
        if (has_tables)
            put("<path class=\"table\" d=\"M{0} 22h60\"/>\n<text x=\"{1}\" y=\"28\">indexed table</text>\n",
                margin + 440, margin + 508);
        put("<text class=\"faint\" x=\"{}\" y=\"62\">Strongest colour: {} edges or more in a pixel, "
            "logarithmic "
            "scale.</text>\n",
            margin, page_.full);
        put("<text class=\"faint\" x=\"{}\" y=\"86\">{}</text>\n", margin, xml_text(page_.axis));
        out_ += "</g>\n";
    }

    const svg_page& page_;
    dial place_;
    unsigned side_;
    std::string out_{};
};

} // namespace

std::string as_svg(const svg_page& page, unsigned side) {
    return writer(page, side).write();
}

} // namespace fingerpost::cli
