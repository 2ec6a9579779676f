// A square of pixels that accumulates the lengths of lines through each pixel.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace fingerpost::cli {

// The origin is the centre of the square. Angles are in radians, clockwise from the top; lengths are in
// pixels.
//
// A line is sampled at points less than a pixel apart. Each sample carries its part of the length, which is
// divided among the four nearest pixels. A fixed number of samples per line would produce moire rings.
class density_grid {
  public:
    explicit density_grid(unsigned side) : side_(side), pixels_(std::size_t{side} * side) {}

    unsigned side() const noexcept { return side_; }
    // Accumulated length per pixel, row by row from the top left.
    std::span<const float> pixels() const noexcept { return pixels_; }

    // Adds a line at one angle between two radii.
    void add_radial(double angle, double from, double to) noexcept;
    // Adds an arc between two angles, in either direction.
    void add_arc(double radius, double from, double to) noexcept;

  private:
    void add(double right, double down, double weight) noexcept;

    unsigned side_;
    std::vector<float> pixels_;
};

} // namespace fingerpost::cli
