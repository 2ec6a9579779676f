// Universes of three, four and five bits in full: all their small tables, all their addresses, every scheme
// and ISA.
//
// The five-bit universe is cut into shards so that ctest runs them side by side.
#include <gtest/gtest.h>

#include "tests/support/suite.hpp"
#include "tests/support/tables/tiny_universe.hpp"

namespace fingerpost::testing {
namespace {

// Returns n where one table in n is tried: 1 in `make test-exhaustive`, else `usual`, or more with less
// effort.
std::size_t sampled(double usual) {
    return exhaustive() ? 1 : std::max<std::size_t>(1, static_cast<std::size_t>(usual / effort()));
}

class tiny_widths : public over_schemes<address<3>> {};
TEST_F(tiny_widths, every_table_on_three_bits) {
    using A = address<3>;
    const tiny_universe<3> universe;
    const std::size_t count = universe.prefixes().size();
    ASSERT_EQ(count, 15U);
    random_numbers random(70);
    // An odd step; otherwise the lowest prefixes would be left out of all samples.
    const std::size_t step = sampled(5) | 1U;
    tally done;
    // One bit for each prefix: all 32,768 sets of routes. There are few next hops, so that equal and
    // different ones are near.
    for (std::size_t set = 0; set < std::size_t{1} << count; set += step) {
        table<A> routes;
        for (std::size_t i = 0; i < count; ++i)
            if ((set >> i & 1U) != 0)
                routes.push_back({universe.prefixes()[i], {static_cast<std::uint32_t>(random.below(3))}});
        ASSERT_TRUE(agree<A>(std::move(routes), done));
    }
    done.report((std::size_t{1} << count) / step, (std::size_t{1} << (count + 4)) / step);
}

// Shard `shard` of `shards` of all tables of up to three routes with each pattern of next hops, one table in
// `step`.
template <unsigned Bits>
void every_table(std::size_t shard, std::size_t shards, std::size_t step) {
    using A = address<Bits>;
    const tiny_universe<Bits> universe;
    tally done;
    std::size_t number_of_table = 0;
    for (std::size_t number = 0; number < universe.size(); ++number)
        for (std::size_t pattern = 0; pattern < universe.patterns(number); ++pattern) {
            const std::size_t mine = number_of_table++;
            if (mine % shards != shard || mine / shards % step != 0)
                continue;
            ASSERT_TRUE(agree<A>(universe.at(number, pattern), done));
        }
    done.report(number_of_table / shards / step, (number_of_table / shards / step) << (Bits + 1));
}

TEST_F(tiny_widths, every_small_table_on_four_bits) {
    every_table<4>(0, 1, sampled(4));
}

constexpr std::size_t shards = 4;
class five_bits : public ::testing::TestWithParam<std::size_t> {};
TEST_P(five_bits, every_small_table) {
    every_table<5>(GetParam(), shards, sampled(6));
}
INSTANTIATE_TEST_SUITE_P(shard, five_bits, ::testing::Range(std::size_t{0}, shards));

} // namespace
} // namespace fingerpost::testing
