// The limits of codes and groups.
#include <gtest/gtest.h>

#include "fingerpost/rib/rib.hpp"
#include "fingerpost/schemes/dir_24_8/dir_24_8.hpp"
#include "tests/support/limits.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_dir_24_8 {
namespace {

TEST(Dir248Limits, ADirectTableSaysThatItsCodesHaveEnded) {
    using A = address<12>;
    std::vector<route<A>> all;
    for (std::uint32_t i = 0; i < 9; ++i) // ids too large to be codes themselves
        all.push_back({prefix<A>::make({static_cast<A::value_type>(i << 8)}, 4), {0xfffffff0 - i}});
    expect_least<dir_24_8::fib<A>>(all, 10); // one code is for no route
}

// Small entries can number 2^15 groups, the real limit.
TEST(Dir248Limits, ADirectTableSaysThatItsGroupsHaveEnded) {
    using A = address<18>;
    using fib_type = dir_24_8::fib<A, 16, 2>;
    const auto where = [](std::uint32_t group) {
        return prefix<A>::make({static_cast<A::value_type>(group << 2)}, 18);
    };
    constexpr std::uint32_t groups = 1 << 15;
    rib<A> truth;
    for (std::uint32_t i = 0; i < groups - 1; ++i)
        ASSERT_TRUE(truth.insert(where(i), {1}));
    auto fib = fib_type::build(truth.to_routes());
    ASSERT_TRUE(fib);
    const auto last = truth.announce(where(groups - 1), {2});
    ASSERT_TRUE(last);
    ASSERT_EQ(fib->apply(*last), errc::ok);
    const auto one_more = truth.announce(where(groups), {3});
    ASSERT_TRUE(one_more);
    EXPECT_EQ(fib->apply(*one_more), errc::capacity);
    for (std::uint32_t i = 0; i <= groups; ++i)
        ASSERT_EQ(fib->lookup(where(i).first()), (i < groups - 1 ? next_hop{1}
                                                  : i < groups   ? next_hop{2}
                                                                 : next_hop::none))
            << i;
    const auto anew = fib_type::build(truth.to_routes());
    ASSERT_TRUE(anew) << "with larger entries";
    EXPECT_EQ(anew->lookup(where(groups).first()), next_hop{3});
}

// Entries that were widened only for the number of groups become narrow again.
TEST(Dir248Limits, ADirectTableThatIsTooWideIsBuiltAnew) {
    using A = address<18>;
    using fib_type = dir_24_8::fib<A, 16, 2>;
    const auto where = [](std::uint32_t group) {
        return prefix<A>::make({static_cast<A::value_type>(group << 2)}, 18);
    };
    constexpr std::uint32_t groups = (1 << 15) + 1;
    rib<A> truth;
    for (std::uint32_t i = 0; i < groups; ++i)
        ASSERT_TRUE(truth.insert(where(i), {1}));
    auto fib = fib_type::build(truth.to_routes());
    ASSERT_TRUE(fib);
    ASSERT_EQ(fib->memory_parts().front().bytes, 4u << 16);
    std::uint32_t gone = 0;
    for (errc done = errc::ok; done == errc::ok && gone < groups; ++gone) {
        const auto told = truth.withdraw(where(gone));
        ASSERT_TRUE(told);
        done = fib->apply(*told);
    }
    EXPECT_GT(gone, 1000u) << "one group fewer or more does not make it change";
    EXPECT_LT(gone, groups / 10);
    const auto anew = fib_type::build(truth.to_routes());
    ASSERT_TRUE(anew);
    EXPECT_EQ(anew->memory_parts().front().bytes, 2u << 16);
}

} // namespace
} // namespace fingerpost::testing::of_dir_24_8
