// Where a radial picture shows what: from a share of the axis and a number of bits to a place in a square.
#pragma once

#include <numbers>

namespace fingerpost::cli {

// The axis runs clockwise from the top once around the centre, and leaves a gap there for the names of the
// rings. Bits are radii. Lengths are in the unit in which `side` is given.
class dial {
  public:
    // `bits` lie at the rim.
    constexpr dial(double side, double bits) noexcept : side_(side), unit_(rim_share * side / bits) {}

    constexpr double side() const noexcept { return side_; }
    constexpr double center() const noexcept { return side_ / 2; }
    constexpr double radius(double bits) const noexcept { return bits * unit_; }
    constexpr double rim() const noexcept { return rim_share * side_; }
    // In radians, clockwise from the top, of a share from 0 to 1.
    static constexpr double angle(double share) noexcept {
        return gap / 2 + share * (2 * std::numbers::pi - gap);
    }

  private:
    // Names of blocks stand outside the rim.
    static constexpr double rim_share = 0.375;
    static constexpr double gap = 6 * std::numbers::pi / 180;

    double side_;
    double unit_;
};

} // namespace fingerpost::cli
