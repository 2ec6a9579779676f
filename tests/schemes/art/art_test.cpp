// The contents of the nodes of an allotment routing table, their memory, and the changes that are easily got
// wrong.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "fingerpost/schemes/art/art.hpp"
#include "tests/support/changed_fib.hpp"
#include "tests/support/tables/tables.hpp"

namespace fingerpost::testing {
namespace {

using art::fib;

// An example by hand, as the papers' figures have nodes of fewer bits.
TEST(Art, NodesComeAndGoWithLongerRoutes) {
    using A = ipv4_address;
    using list = std::vector<std::string>;
    changed_fib<A, fib<A>> one;
    one.set({0x0a000000}, 8, {0}); // an entry of the fringe
    EXPECT_EQ(one.nodes(), list{"node 0.0.0.0"});
    one.set({0x0a010000}, 16, {1}); // the fringe's route moves into the node below
    EXPECT_EQ(one.nodes(), (list{"node 0.0.0.0", " node 10.0.0.0"}));
    one.set({0x08000000}, 5, {2});            // covers the node, and is not allotted into it
    one.set({0x0a000000}, 8, next_hop::none); // the part that it covered turns back to the /5
    EXPECT_EQ(one.nodes(), (list{"node 0.0.0.0", " node 10.0.0.0"}));
    one.set({0x0a000000}, 8, {3});
    one.set({0x0a010000}, 16, next_hop::none); // the /8 would be alone in the node, and moves back
    EXPECT_EQ(one.nodes(), list{"node 0.0.0.0"});
    one.set({0x08000000}, 5, next_hop::none);
    one.set({0x0a000000}, 8, next_hop::none);
}

// Two routes with one next hop are still two: one gives back only its own part, not that of the other.
TEST(Art, RoutesWithOneNextHopAreToldApart) {
    using A = address<12>;
    changed_fib<A, fib<A>> one;
    one.set({0b100000000000}, 1, {5});
    one.set({0b110000000000}, 2, {5});
    one.set({0b110100000000}, 4, {5});
    one.set({0b100000000000}, 1, next_hop::none);
    one.set({0b110000000000}, 2, next_hop::none);
    one.set({0}, 0, {5});
    one.set({0b110100000000}, 4, next_hop::none);
}

TEST(Art, EveryLengthIsRight) {
    expect_all_widths_right<fib>();
}

template <class A>
void expect_memory_of_formula() {
    random_numbers random(5);
    const routes<A> from(clustered_table<A>(random, 2000, 100));
    const auto built = fib<A>::build(from);
    ASSERT_TRUE(built);
    const std::size_t nodes = changed_fib<A, fib<A>>::nodes_of(*built).size();
    EXPECT_EQ(built->memory_bytes(), nodes * 2048 + from.size() * 4 + sizeof(fib<A>));
}
TEST(Art, MemoryIsThatOfTheFormula) {
    expect_memory_of_formula<ipv4_address>();
    expect_memory_of_formula<ipv6_address>();
}

TEST(Art, SaysThatItsNodesHaveEnded) {
    using A = ipv4_address;
    const routes<A> from(std::vector<route<A>>{{prefix<A>::make({1}, 32), {2}}});
    EXPECT_TRUE(fib<A>::build(from, {}, 4));
    EXPECT_EQ(fib<A>::build(from, {}, 3).error(), errc::capacity);
}

} // namespace
} // namespace fingerpost::testing
