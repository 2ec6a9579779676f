// Maps densities to colour indices.
#include "cli/picture/colors.hpp"

#include <algorithm>

namespace fingerpost::cli {
namespace {

void add_ramp(std::vector<rgb>& to, const rgb (&stops)[4]) {
    for (std::size_t i = 0; i < ramp_colors; ++i) {
        const double at = 3.0 * static_cast<double>(i) / (ramp_colors - 1);
        const auto from = std::min<std::size_t>(2, static_cast<std::size_t>(at));
        const double share = at - static_cast<double>(from);
        const auto between = [&](std::uint8_t a, std::uint8_t b) {
            return static_cast<std::uint8_t>(std::lround(a + (b - a) * share));
        };
        const rgb &a = stops[from], &b = stops[from + 1];
        to.push_back({between(a.red, b.red), between(a.green, b.green), between(a.blue, b.blue)});
    }
}

std::size_t color_number(double share) noexcept {
    return static_cast<std::size_t>(std::lround(share * (ramp_colors - 1)));
}

} // namespace

std::vector<rgb> palette_of(const theme& colors) {
    std::vector<rgb> palette{{0, 0, 0}};
    add_ramp(palette, colors.edges);
    add_ramp(palette, colors.leaves);
    return palette;
}

std::vector<std::uint8_t> colored(std::span<const float> edges, std::span<const float> leaves,
                                  const color_scale& scale) {
    std::vector<std::uint8_t> pixels(edges.size());
    for (std::size_t i = 0; i < edges.size(); ++i) {
        const bool is_leaf = leaves[i] > edges[i];
        const double share = scale.share_of(is_leaf ? leaves[i] : edges[i]);
        if (share >= 0)
            pixels[i] = static_cast<std::uint8_t>(1 + (is_leaf ? ramp_colors : 0) + color_number(share));
    }
    return pixels;
}

double full_density(std::vector<float> densities) {
    std::erase_if(densities, [](float d) { return d <= 0; });
    if (densities.empty())
        return 1;
    const auto at = densities.end() - 1 - static_cast<std::ptrdiff_t>(densities.size() / 200);
    std::nth_element(densities.begin(), at, densities.end());
    return std::max(1.0, std::ceil(static_cast<double>(*at)));
}

} // namespace fingerpost::cli
