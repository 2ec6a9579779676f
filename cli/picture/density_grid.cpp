// Samples lines point by point.
#include "cli/picture/density_grid.hpp"

#include <algorithm>
#include <cmath>

namespace fingerpost::cli {
namespace {

// At least one, so that the weights add up to the length.
std::size_t samples_for(double length) noexcept {
    return std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(length)));
}

} // namespace

// Ignores points outside the square.
void density_grid::add(double right, double down, double weight) noexcept {
    // A pixel's centre is half a pixel from its edge.
    const double x = right + side_ / 2.0 - 0.5, y = down + side_ / 2.0 - 0.5;
    if (!(x >= 0 && y >= 0 && x < side_ - 1.0 && y < side_ - 1.0))
        return;
    const auto column = static_cast<std::size_t>(x), row = static_cast<std::size_t>(y);
    const auto across = static_cast<float>(x - static_cast<double>(column));
    const auto along = static_cast<float>(y - static_cast<double>(row));
    const auto w = static_cast<float>(weight);
    float* const at = pixels_.data() + row * side_ + column;
    at[0] += w * (1 - across) * (1 - along);
    at[1] += w * across * (1 - along);
    at[side_] += w * (1 - across) * along;
    at[side_ + 1] += w * across * along;
}

void density_grid::add_radial(double angle, double from, double to) noexcept {
    const double length = std::abs(to - from);
    if (length == 0)
        return;
    const double right = std::sin(angle), down = -std::cos(angle);
    const std::size_t count = samples_for(length);
    const double step = (to - from) / static_cast<double>(count),
                 weight = length / static_cast<double>(count);
    for (std::size_t i = 0; i < count; ++i) {
        const double radius = from + (static_cast<double>(i) + 0.5) * step;
        add(radius * right, radius * down, weight);
    }
}

void density_grid::add_arc(double radius, double from, double to) noexcept {
    const double length = std::abs(to - from) * radius;
    if (length == 0)
        return;
    const std::size_t count = samples_for(length);
    const double step = (to - from) / static_cast<double>(count),
                 weight = length / static_cast<double>(count);
    // Rotates from sample to sample, which takes 1/10 of the time of sine and cosine calls.
    const double sine = std::sin(step), cosine = std::cos(step);
    double right = radius * std::sin(from + step / 2), down = -radius * std::cos(from + step / 2);
    for (std::size_t i = 0; i < count; ++i) {
        add(right, down, weight);
        const double next = right * cosine - down * sine;
        down = down * cosine + right * sine;
        right = next;
    }
}

} // namespace fingerpost::cli
