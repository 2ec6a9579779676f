// A page of radial pictures side by side as SVG: frame, rings and names as vectors, the densities as images.
#pragma once

#include <string>
#include <vector>

#include "cli/picture/colors.hpp"
#include "cli/picture/tree_drawing.hpp"

namespace fingerpost::cli {

// A part of the axis with a name.
struct named_part {
    std::string name;
    double from = 0; // shares of the axis
    double to = 0;
};

struct svg_panel {
    std::string name;
    std::vector<std::string> lines{}; // about it
    std::string png{};                // a square with the densities
    std::vector<drawn_table> tables{};
};

struct svg_page {
    std::string title;
    std::string axis; // what the angle and the radius are
    std::vector<named_part> parts{};
    std::vector<unsigned> rings{}; // bits, the last one is the rim
    std::vector<svg_panel> panels{};
    const theme* colors = &light_theme;
    double full = 1; // density of the strongest colour
};

// Each panel is `side` pixels wide; names and lines grow with it. Texts may have any bytes.
std::string as_svg(const svg_page& page, unsigned side);

} // namespace fingerpost::cli
