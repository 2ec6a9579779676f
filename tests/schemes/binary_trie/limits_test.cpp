// The maximum number of nodes.
#include <gtest/gtest.h>

#include "fingerpost/schemes/binary_trie/binary_trie.hpp"
#include "tests/support/limits.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_binary_trie {
namespace {

template <class A>
class LimitsEachWidth : public ::testing::Test {};
using widths = ::testing::Types<address<12>, ipv4_address, ipv6_address>;
TYPED_TEST_SUITE(LimitsEachWidth, widths);

TYPED_TEST(LimitsEachWidth, ABinaryTrieSaysThatItsNodesHaveEnded) {
    using A = TypeParam;
    using trie = binary_trie::fib<A>;
    random_numbers random(4);
    rib<A> truth;
    ASSERT_TRUE(truth.assign(clustered_table<A>(random, 30, 5)));
    std::size_t needed = 1;
    while (!trie::build(truth.to_routes(), {}, needed))
        ++needed;
    EXPECT_EQ(trie::build(truth.to_routes(), {}, needed - 1).error(), errc::capacity);
    EXPECT_EQ(trie::build_in_place(truth.to_routes(), {}, needed - 1).error(), errc::capacity);
    auto fib = trie::build(truth.to_routes(), {}, needed);
    auto in_place = trie::build_in_place(truth.to_routes(), {}, needed);
    ASSERT_TRUE(fib && in_place);
    EXPECT_EQ(in_place->room(), 0u);
    const auto before = routes_of(truth);
    bool refused = false;
    for (unsigned i = 0; i < 100 && !refused; ++i) {
        const auto where = prefix<A>::make(random.template address<A>(), A::bits);
        rib<A> next;
        ASSERT_TRUE(next.assign(before));
        const auto told = next.announce(where, {3});
        ASSERT_TRUE(told);
        if (told->before != next_hop::none)
            continue;
        EXPECT_EQ(fib->apply(*told), errc::capacity);
        EXPECT_EQ(in_place->apply_in_place(*told, 1), errc::capacity);
        expect_right<A>(*fib, before);
        expect_right<A>(*in_place, before);
        refused = true;
    }
    EXPECT_TRUE(refused);
}

} // namespace
} // namespace fingerpost::testing::of_binary_trie
