// The colours of a picture: a ramp for the density of edges, one for leaves, and colours for the frame.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cli/picture/indexed_png.hpp"

namespace fingerpost::cli {

struct theme {
    std::string_view page;
    std::string_view text;
    std::string_view faint; // explanatory text
    std::string_view ring;
    std::string_view table; // indexed arrays
    rgb edges[4];           // from sparse to dense
    rgb leaves[4];
};

// Both themes stay readable without colour, because lightness is monotonic along the ramps.
inline constexpr theme light_theme{.page = "#ffffff",
                                   .text = "#16181d",
                                   .faint = "#565b66",
                                   .ring = "#8a8f99",
                                   .table = "#0c7a5b",
                                   .edges = {{208, 223, 242}, {141, 178, 224}, {66, 117, 190}, {10, 30, 80}},
                                   .leaves = {{252, 219, 176}, {246, 168, 88}, {214, 100, 24}, {110, 38, 0}}};
inline constexpr theme dark_theme{.page = "#10141f",
                                  .text = "#e9ebf1",
                                  .faint = "#a3a9b8",
                                  .ring = "#6d7486",
                                  .table = "#4fd6a6",
                                  .edges = {{32, 50, 90}, {58, 98, 168}, {130, 174, 238}, {238, 246, 255}},
                                  .leaves = {{78, 46, 14}, {168, 92, 20}, {244, 166, 78}, {255, 243, 218}}};

// Maps the density of lines to a position on the ramp, logarithmically.
class color_scale {
  public:
    // `full`: the density of the strongest colour, in pixels of line per pixel, above 0.
    explicit color_scale(double full) : full_(full), most_(std::log1p(full * sharpness)) {}

    double full() const noexcept { return full_; }
    // From 0 to 1; negative for densities too small to draw.
    double share_of(double density) const noexcept {
        if (density < least)
            return -1;
        return std::min(1.0, std::log1p(density * sharpness) / most_);
    }

  private:
    // Below this, samples at the edges of a line are invisible.
    static constexpr double least = 0.05;
    // Makes a single line, with a density of 1/2 to 1, clearly darker than the palest colour.
    static constexpr double sharpness = 4;

    double full_;
    double most_;
};

// Colours in each ramp. Colour 0 is the page.
inline constexpr std::size_t ramp_colors = 127;

std::vector<rgb> palette_of(const theme& colors);

// Draws a pixel in the leaf colour where leaves are denser than edges.
std::vector<std::uint8_t> colored(std::span<const float> edges, std::span<const float> leaves,
                                  const color_scale& scale);

// The density that 1/200 of the nonempty pixels exceed; 1 if all are empty.
double full_density(std::vector<float> densities);

} // namespace fingerpost::cli
