// A page with radial pictures side by side as SVG. Frame, rings and names are vectors; the densities are
// images.
#pragma once

#include <string>
#include <vector>

#include "cli/picture/colors.hpp"
#include "cli/picture/tree_drawing.hpp"

namespace fingerpost::cli {

// A named part of the axis.
struct named_part {
    std::string name;
    double from = 0; // shares of the axis, from 0 to 1
    double to = 0;
};

struct svg_panel {
    std::string name;
    std::vector<std::string> lines{}; // description
    std::string png{};                // square image of the densities
    std::vector<drawn_table> tables{};
};

struct svg_page {
    std::string title;
    std::string axis; // description of angle and radius
    std::vector<named_part> parts{};
    std::vector<unsigned> rings{}; // in bits; the last is the rim
    std::vector<svg_panel> panels{};
    const theme* colors = &light_theme;
    double full = 1; // density of the strongest colour
};

// Each panel is `side` pixels wide; names and lines scale with it. Texts may contain any bytes.
std::string as_svg(const svg_page& page, unsigned side);

} // namespace fingerpost::cli
