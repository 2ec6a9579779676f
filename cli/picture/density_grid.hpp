// A square of pixels in which lines are added up: how much line runs through each.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace fingerpost::cli {

// The centre of the square is the origin. Angles are in radians, clockwise from the top, lengths in pixels.
//
// A line is a row of samples less than a pixel apart, each with its part of the length as weight, shared out
// among the four nearest pixels. A fixed number of samples a line would draw rings that are not there
// (moire).
class density_grid {
  public:
    explicit density_grid(unsigned side) : side_(side), pixels_(std::size_t{side} * side) {}

    unsigned side() const noexcept { return side_; }
    // Pixels of line in each pixel, row by row from the top left.
    std::span<const float> pixels() const noexcept { return pixels_; }

    // From one radius to another at one angle.
    void add_radial(double angle, double from, double to) noexcept;
    // Around the centre, from one angle to another, in either direction.
    void add_arc(double radius, double from, double to) noexcept;

  private:
    void add(double right, double down, double weight) noexcept;

    unsigned side_;
    std::vector<float> pixels_;
};

} // namespace fingerpost::cli
