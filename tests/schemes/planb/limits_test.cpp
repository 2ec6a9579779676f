// How many intervals there are kernels for.
#include <gtest/gtest.h>

#include "fingerpost/schemes/planb/planb.hpp"

namespace fingerpost::testing {
namespace {

TEST(Limits, PlanbHasKernelsForSoManyIntervalsAndNoMore) {
    const auto levels = [](std::size_t intervals) {
        return planb::tree_builder<8, false>(intervals).levels();
    };
    constexpr std::size_t most = 8 * std::size_t{9 * 9 * 9} * 9 * 9 * 9 * 9;
    EXPECT_LT(levels(most), planb::level_counts_of<8>);
    EXPECT_GE(levels(most + 1), planb::level_counts_of<8>);
}

} // namespace
} // namespace fingerpost::testing
