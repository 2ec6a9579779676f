// The nodes of an allotment routing table, their memory, and changes that are easy to get wrong.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fingerpost/schemes/art/art.hpp"
#include "tests/support/changed_fib.hpp"
#include "tests/support/limits.hpp"

namespace fingerpost::testing::of_art {
namespace {

using art::fib;

// The nodes, without the unreachable halves of their heaps.
template <class A>
std::vector<std::string> heaps_of(const changed_fib<A, fib<A>>& one) {
    std::vector<std::string> nodes;
    for (const std::string& node : one.nodes())
        if (node.find("entries above") == std::string::npos)
            nodes.push_back(node);
    EXPECT_EQ(nodes.size() * 2, one.nodes().size());
    return nodes;
}

// A handmade example, because the nodes in the papers' figures have fewer bits.
TEST(Art, NodesComeAndGoWithLongerRoutes) {
    using A = ipv4_address;
    using list = std::vector<std::string>;
    changed_fib<A, fib<A>> one;
    one.set({0x0a000000}, 8, {0}); // a fringe entry
    EXPECT_EQ(heaps_of(one), list{"node 0.0.0.0"});
    one.set({0x0a010000}, 16, {1}); // the fringe's route moves into the new node below it
    EXPECT_EQ(heaps_of(one), (list{"node 0.0.0.0", " node 10.0.0.0"}));
    one.set({0x08000000}, 5, {2});            // covers the node, and is not allotted into it
    one.set({0x0a000000}, 8, next_hop::none); // its part reverts to the /5
    EXPECT_EQ(heaps_of(one), (list{"node 0.0.0.0", " node 10.0.0.0"}));
    one.set({0x0a000000}, 8, {3});
    one.set({0x0a010000}, 16, next_hop::none); // the /8 would be alone in the node, and moves back
    EXPECT_EQ(heaps_of(one), list{"node 0.0.0.0"});
    one.set({0x08000000}, 5, next_hop::none);
    one.set({0x0a000000}, 8, next_hop::none);
}

template <class A>
void expect_memory_of_formula() {
    random_numbers random(5);
    const routes<A> from(clustered_table<A>(random, 2000, 100));
    const auto built = fib<A>::build(from);
    ASSERT_TRUE(built);
    const std::size_t halves = changed_fib<A, fib<A>>::nodes_of(*built).size();
    EXPECT_EQ(built->memory_bytes(), halves * 1024 + from.size() * 4 + sizeof(fib<A>));
}
TEST(Art, MemoryIsThatOfTheFormula) {
    expect_memory_of_formula<ipv4_address>();
    expect_memory_of_formula<ipv6_address>();
}

TEST(Art, SaysThatItsNodesHaveEnded) {
    using A = ipv4_address;
    const table<A> one{{prefix<A>::make({1}, 32), {2}}};
    expect_least<fib<A>>(one, 4);
}

} // namespace
} // namespace fingerpost::testing::of_art
