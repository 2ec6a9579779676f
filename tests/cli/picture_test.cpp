// The geometry of radial pictures: positions of addresses and bits, evenly dense lines, and nodes drawn below
// their parents.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "cli/picture/address_axis.hpp"
#include "cli/picture/colors.hpp"
#include "cli/picture/density_grid.hpp"
#include "cli/picture/dial.hpp"
#include "cli/picture/indexed_png.hpp"
#include "cli/picture/tree_drawing.hpp"
#include "fingerpost/registry/registry.hpp"
#include "tests/support/suite.hpp"

namespace fingerpost::cli {
namespace {

using a4 = ipv4_address;

std::vector<route<a4>> hosts(std::initializer_list<std::uint32_t> numbers) {
    std::vector<route<a4>> all;
    for (const std::uint32_t number : numbers)
        all.push_back({prefix<a4>::make(a4{number}, 32), {1}});
    return all;
}

TEST(picture_axis, ranks_count_the_routes_that_begin_before) {
    const auto routes = hosts({5, 7, 7U << 28, 15U << 28});
    const address_axis<a4> axis(routes, axis_kind::rank);
    EXPECT_EQ(axis.before(a4{0}), 0);
    EXPECT_EQ(axis.before(a4{5}), 0);
    EXPECT_EQ(axis.through(a4{5}), 0.25);
    EXPECT_EQ(axis.before(a4{6}), 0.25);
    EXPECT_EQ(axis.through(a4{6}), 0.25);
    EXPECT_EQ(axis.through(a4::last()), 1);
}

TEST(picture_axis, addresses_are_shares_of_all) {
    const address_axis<a4> axis({}, axis_kind::address);
    EXPECT_EQ(axis.before(a4{0}), 0);
    EXPECT_EQ(axis.before(a4{1U << 31}), 0.5);
    EXPECT_EQ(axis.through(a4{(1U << 31) - 1}), 0.5);
    EXPECT_EQ(axis.through(a4::last()), 1);
}

TEST(picture_axis, without_routes_there_is_no_rank) {
    const address_axis<a4> axis({}, axis_kind::rank);
    EXPECT_EQ(axis.through(a4::last()), 0);
    EXPECT_TRUE(axis.large_blocks().empty());
}

TEST(picture_axis, blocks_of_a_hundredth_have_names) {
    std::vector<route<a4>> routes;
    const auto add = [&](std::uint32_t octet, std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i)
            routes.push_back({prefix<a4>::make(a4{octet << 24 | i << 8}, 24), {1}});
    };
    add(3, 2);
    add(10, 4);
    add(11, 394);
    const address_axis<a4> ranks(routes, axis_kind::rank);
    const auto blocks = ranks.large_blocks();
    ASSERT_EQ(blocks.size(), 2U);
    EXPECT_EQ(blocks[0].where, prefix<a4>::make(a4{10U << 24}, 8));
    EXPECT_EQ(blocks[0].from, 2 / 400.0);
    EXPECT_EQ(blocks[0].to, 6 / 400.0);
    EXPECT_EQ(blocks[1].to, 1);
    const address_axis<a4> addresses(routes, axis_kind::address);
    EXPECT_EQ(addresses.large_blocks().size(), 16U);
}

TEST(picture_dial, bits_are_radii_and_shares_go_around_once) {
    const dial place(900, 32);
    EXPECT_EQ(place.radius(0), 0);
    EXPECT_DOUBLE_EQ(place.radius(32), place.rim());
    EXPECT_DOUBLE_EQ(place.radius(8), place.rim() / 4);
    EXPECT_LT(place.rim(), place.center());
    EXPECT_GT(dial::angle(0), 0);
    EXPECT_DOUBLE_EQ(dial::angle(0.5), std::numbers::pi);
    EXPECT_DOUBLE_EQ(dial::angle(0) + dial::angle(1), 2 * std::numbers::pi);
}

TEST(picture_bits, are_the_length_of_a_prefix_or_of_one_as_large) {
    EXPECT_EQ(decided_bits(a4::first(), a4::last()), 0);
    EXPECT_EQ(decided_bits(a4{10U << 24}, a4{(11U << 24) - 1}), 8);
    EXPECT_EQ(decided_bits(a4{7}, a4{7}), 32);
    // The size of a /24, but across the boundary of one.
    EXPECT_DOUBLE_EQ(decided_bits(a4{100}, a4{355}), 24);
    using a6 = ipv6_address;
    EXPECT_EQ(decided_bits(a6::first(), a6::last()), 0);
    EXPECT_EQ(decided_bits(a6::last(), a6::last()), 128);
}

// Line pixels per pixel of radius or per pixel of the grid.
std::vector<double> by_radius(const density_grid& grid, bool counts_pixels = false) {
    std::vector<double> sums(grid.side());
    const double center = grid.side() / 2.0 - 0.5;
    for (unsigned y = 0; y < grid.side(); ++y)
        for (unsigned x = 0; x < grid.side(); ++x)
            sums[static_cast<std::size_t>(std::lround(std::hypot(x - center, y - center)))] +=
                counts_pixels ? 1 : static_cast<double>(grid.pixels()[y * std::size_t{grid.side()} + x]);
    return sums;
}
double sum_of(const density_grid& grid) {
    return std::accumulate(grid.pixels().begin(), grid.pixels().end(), 0.0);
}

TEST(picture_density, a_line_has_its_length_and_is_even) {
    density_grid grid(401);
    // Draws to the right along a row of pixels, so that each of them gets one pixel of line.
    grid.add_radial(std::numbers::pi / 2, 0, 150);
    EXPECT_NEAR(sum_of(grid), 150, 1e-3);
    const std::size_t row = 200 * std::size_t{401};
    for (std::size_t x = 202; x < 348; ++x)
        ASSERT_NEAR(grid.pixels()[row + x], 1, 1e-3) << x;
    // Lines of any length, some shorter than a pixel.
    density_grid parts(401);
    for (int i = 0; i < 1000; ++i)
        parts.add_radial(std::numbers::pi / 2, i * 0.15, (i + 1) * 0.15);
    for (std::size_t x = 202; x < 348; ++x)
        ASSERT_NEAR(parts.pixels()[row + x], 1, 0.02) << x;
}

// If every line had the same number of samples, the samples of all lines would fall on the same circles.
TEST(picture_density, many_lines_draw_no_rings) {
    density_grid grid(601);
    constexpr int lines = 20'000;
    for (int i = 0; i < lines; ++i)
        grid.add_radial(2 * std::numbers::pi * i / lines, 20, 280);
    const auto sums = by_radius(grid), pixels = by_radius(grid, true);
    for (std::size_t radius = 60; radius < 275; ++radius) {
        const double around = 2 * std::numbers::pi * static_cast<double>(radius);
        ASSERT_NEAR(sums[radius] / pixels[radius] * around / lines, 1, 0.01) << radius;
    }
    EXPECT_NEAR(sum_of(grid), 260.0 * lines, 260.0 * lines * 1e-4);
}

TEST(picture_density, an_arc_keeps_its_radius_in_both_directions) {
    for (const double to : {5.9, -5.9}) {
        density_grid grid(401);
        grid.add_arc(120, 0.1, 0.1 + to);
        EXPECT_NEAR(sum_of(grid), 120 * 5.9, 0.1);
        const auto sums = by_radius(grid);
        EXPECT_NEAR(sums[119] + sums[120] + sums[121], 120 * 5.9, 0.1);
    }
}

TEST(picture_density, what_is_outside_is_left_out) {
    density_grid grid(100);
    grid.add_radial(1, 60, 90);
    grid.add_arc(80, 0, 6);
    EXPECT_EQ(sum_of(grid), 0);
}

TEST(picture_colors, go_up_with_the_density) {
    const color_scale scale(100);
    EXPECT_LT(scale.share_of(0), 0);
    double last = 0;
    for (const double density : {0.1, 1.0, 10.0, 99.0}) {
        EXPECT_GT(scale.share_of(density), last);
        last = scale.share_of(density);
    }
    EXPECT_EQ(scale.share_of(100), 1);
    EXPECT_EQ(scale.share_of(1e6), 1);
    const std::vector<float> edges{0, 1, 1}, leaves{0, 0, 2};
    const auto pixels = colored(edges, leaves, scale);
    EXPECT_EQ(pixels[0], 0);
    EXPECT_GE(pixels[1], 1);
    EXPECT_LE(pixels[1], ramp_colors);
    EXPECT_GT(pixels[2], ramp_colors);
    EXPECT_EQ(palette_of(light_theme).size(), 1 + 2 * ramp_colors);
    EXPECT_EQ(full_density({}), 1);
    EXPECT_EQ(full_density({0, 0, 7}), 7);
}

template <class A>
void expect_parents_cover(std::size_t& edges) {
    struct node {
        A first, last;
    };
    testing::random_numbers random(3);
    const routes<A> from(testing::clustered_table<A>(random, 2000, 50));
    for (const scheme_entry<A>& scheme : schemes<A>()) {
        const auto fib = scheme.build(from, {});
        ASSERT_TRUE(fib) << scheme.facts.name;
        open_way<node> way;
        const auto check = [&](const structure_node<A>& visited) {
            const node* const parent =
                way.add(visited.level, node{visited.first, visited.last}, [](const node&) {});
            ASSERT_EQ(parent == nullptr, visited.level == 0) << scheme.facts.name;
            if (parent == nullptr || visited.kind == "padding")
                return;
            ++edges;
            ASSERT_FALSE(visited.first < parent->first || parent->last < visited.last)
                << scheme.facts.name << ", a " << visited.kind << " of level " << visited.level;
        };
        (*fib)->visit(check);
        if (::testing::Test::HasFailure())
            return;
    }
}
TEST(picture_tree, every_scheme_has_parents_that_cover_their_children) {
    std::size_t edges = 0;
    expect_parents_cover<ipv4_address>(edges);
    expect_parents_cover<ipv6_address>(edges);
    EXPECT_GE(edges, 100'000U);
}

TEST(picture_tree, nodes_beyond_the_rim_are_counted) {
    const auto routes_of_it = hosts({1, 1U << 31});
    const routes<a4> from(routes_of_it);
    const address_axis<a4> axis(from.sorted(), axis_kind::rank);
    const auto fib = find_scheme<a4>("binary_trie")->build(from, {});
    ASSERT_TRUE(fib);
    const drawn_tree whole = draw_tree(**fib, axis, dial(300, 32), 300);
    EXPECT_EQ(whole.nodes, 65U);
    EXPECT_EQ(whole.levels, 33U);
    EXPECT_EQ(whole.outside, 0U);
    const drawn_tree cut = draw_tree(**fib, axis, dial(300, 24), 300);
    EXPECT_EQ(cut.nodes, 65U);
    EXPECT_EQ(cut.outside, 16U);
    // Two paths of 32 bits, and the arc at the centre, which has length 0.
    EXPECT_NEAR(sum_of(whole.edges), 2 * 0.375 * 300, 0.1);
    EXPECT_NEAR(sum_of(cut.edges), 2 * 0.375 * 300, 0.1);
    EXPECT_EQ(sum_of(cut.leaves), 0);
}

TEST(picture_tree, an_indexed_table_is_an_arc_and_has_no_edges) {
    std::vector<route<a4>> nested;
    for (std::uint32_t i = 0; i < 1000; ++i)
        nested.push_back({prefix<a4>::make(a4{i << 20}, 26), {i % 7}});
    const routes<a4> from(nested);
    const address_axis<a4> axis(from.sorted(), axis_kind::rank);
    const auto fib = find_scheme<a4>("poptrie")->build(from, {});
    ASSERT_TRUE(fib);
    const drawn_tree drawn = draw_tree(**fib, axis, dial(300, 32), 300);
    ASSERT_EQ(drawn.tables.size(), 1U);
    EXPECT_EQ(drawn.tables[0].bits, 18);
    EXPECT_EQ(drawn.tables[0].from, 0);
    EXPECT_EQ(drawn.tables[0].to, 1);
    const auto sums = by_radius(drawn.edges);
    const auto ring = static_cast<std::size_t>(dial(300, 32).radius(18));
    EXPECT_EQ(std::accumulate(sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(ring) - 2, 0.0), 0);
}

} // namespace
} // namespace fingerpost::cli
