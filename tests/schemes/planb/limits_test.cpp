// The number of intervals that the kernels support.
#include <gtest/gtest.h>

#include "fingerpost/schemes/planb/planb.hpp"

namespace fingerpost::testing::of_planb {
namespace {

template <class Key>
void expect_kernels_for(std::size_t most) {
    constexpr unsigned keys = planb::line_keys<Key>;
    const auto levels = [](std::size_t intervals) {
        return planb::tree_builder<Key, keys, false>(intervals).levels();
    };
    EXPECT_LE(levels(most), planb::most_levels<keys>);
    EXPECT_GT(levels(most + 1), planb::most_levels<keys>);
}

TEST(PlanbLimits, PlanbHasKernelsForSoManyIntervalsAndNoMore) {
    expect_kernels_for<std::uint64_t>(8 * std::size_t{9 * 9 * 9} * 9 * 9 * 9 * 9);
    expect_kernels_for<std::uint32_t>(16 * std::size_t{17 * 17 * 17} * 17 * 17 * 17);
}

TEST(Planb, ComparesIpv4In32Bits) {
    static_assert(planb::line_keys<planb::key_of<ipv4_address>> == 16);
    static_assert(planb::line_keys<planb::key_of<ipv6_address>> == 8);
    EXPECT_EQ(planb::key_for(ipv4_address{0x0a010304}), 0x0a010304u);
    EXPECT_EQ(planb::key_for(address<5>{3}), 3u << 27);
}

} // namespace
} // namespace fingerpost::testing::of_planb
