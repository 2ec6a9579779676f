// Universes of three and five bits at every offset of seven bits: all their small tables and all addresses,
// for every scheme and ISA.
#include <gtest/gtest.h>

#include "tests/support/suite.hpp"
#include "tests/support/tables/tiny_universe.hpp"

namespace fingerpost::testing {
namespace {

// Returns n when one table in n is tested: 1 in `make test-exhaustive`, otherwise `usual`, or more with less
// effort.
std::size_t sampled(double usual) {
    return exhaustive() ? 1 : std::max<std::size_t>(1, static_cast<std::size_t>(usual / effort()));
}

using seven = address<7>;
class tiny_widths : public over_schemes<seven> {};

// Places a table of fewer bits inside 7-bit addresses. `number` selects the offset and the bits above.
template <class A>
table<seven> moved(const table<A>& tiny, std::size_t number) {
    constexpr unsigned room = seven::bits - A::bits;
    const auto offset = static_cast<unsigned>(number % (room + 1));
    const auto above = static_cast<std::uint32_t>(number / (room + 1)) % (1U << offset);
    table<seven> out;
    for (const auto& [where, hop] : tiny)
        out.push_back(
            {prefix<seven>::make(seven{above << (seven::bits - offset) | where.base.value << (room - offset)},
                                 offset + where.length),
             hop});
    return out;
}

TEST_F(tiny_widths, every_table_on_three_bits) {
    using A = address<3>;
    const tiny_universe<3> universe;
    const std::size_t count = universe.prefixes().size();
    ASSERT_EQ(count, 15U);
    random_numbers random(70);
    // The step is odd; an even one would omit the lowest prefixes from all samples.
    const std::size_t step = sampled(5) | 1U;
    tally done;
    // One bit per prefix, so all 32,768 sets of routes. Few next hops are in use, so that both equal and
    // different ones meet.
    for (std::size_t set = 0; set < std::size_t{1} << count; set += step) {
        table<A> routes;
        for (std::size_t i = 0; i < count; ++i)
            if ((set >> i & 1U) != 0)
                routes.push_back({universe.prefixes()[i], {static_cast<std::uint32_t>(random.below(3))}});
        ASSERT_TRUE(agree<seven>(moved(routes, done.tables), done));
    }
    done.report((std::size_t{1} << count) / step, (std::size_t{1} << (count + 8)) / step);
}

// One in `step` of all tables of up to three routes with each pattern of next hops.
TEST_F(tiny_widths, every_small_table_on_five_bits) {
    const tiny_universe<5> universe;
    const std::size_t step = sampled(6);
    tally done;
    std::size_t number_of_table = 0;
    for (std::size_t number = 0; number < universe.size(); ++number)
        for (std::size_t pattern = 0; pattern < universe.patterns(number); ++pattern)
            if (number_of_table++ % step == 0) {
                ASSERT_TRUE(agree<seven>(moved(universe.at(number, pattern), done.tables), done));
            }
    done.report(number_of_table / step, (number_of_table / step) << (seven::bits + 1));
}

} // namespace
} // namespace fingerpost::testing
