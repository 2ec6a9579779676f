// Maps shares of the axis and numbers of bits to points of a radial picture.
#pragma once

#include <numbers>

namespace fingerpost::cli {

// The axis runs once around the centre, clockwise from the top, with a gap there for the names of rings.
// Radii stand for bits. Lengths are in the unit of `side`.
class dial {
  public:
    // `bits` is the number of bits at the rim.
    constexpr dial(double side, double bits) noexcept : side_(side), unit_(rim_share * side / bits) {}

    constexpr double side() const noexcept { return side_; }
    constexpr double center() const noexcept { return side_ / 2; }
    constexpr double radius(double bits) const noexcept { return bits * unit_; }
    constexpr double rim() const noexcept { return rim_share * side_; }
    // The angle of a share from 0 to 1, in radians, clockwise from the top.
    static constexpr double angle(double share) noexcept {
        return gap / 2 + share * (2 * std::numbers::pi - gap);
    }

  private:
    // Leaves room outside the rim for the names of blocks.
    static constexpr double rim_share = 0.375;
    static constexpr double gap = 6 * std::numbers::pi / 180;

    double side_;
    double unit_;
};

} // namespace fingerpost::cli
