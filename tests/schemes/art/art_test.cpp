// The contents of the nodes of an allotment routing table, their memory, and the changes that are easily got
// wrong.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "fingerpost/schemes/art/art.hpp"
#include "tests/support/changed_fib.hpp"
#include "tests/support/tables/tables.hpp"

namespace fingerpost::testing::of_art {
namespace {

using art::fib;

// The nodes, without the halves of their heaps that addresses do not lead to.
template <class A>
std::vector<std::string> heaps_of(const changed_fib<A, fib<A>>& one) {
    std::vector<std::string> nodes;
    for (const std::string& node : one.nodes())
        if (node.find("entries above") == std::string::npos)
            nodes.push_back(node);
    EXPECT_EQ(nodes.size() * 2, one.nodes().size());
    return nodes;
}

// An example by hand, as the papers' figures have nodes of fewer bits.
TEST(Art, NodesComeAndGoWithLongerRoutes) {
    using A = ipv4_address;
    using list = std::vector<std::string>;
    changed_fib<A, fib<A>> one;
    one.set({0x0a000000}, 8, {0}); // an entry of the fringe
    EXPECT_EQ(heaps_of(one), list{"node 0.0.0.0"});
    one.set({0x0a010000}, 16, {1}); // the fringe's route moves into the node below
    EXPECT_EQ(heaps_of(one), (list{"node 0.0.0.0", " node 10.0.0.0"}));
    one.set({0x08000000}, 5, {2});            // covers the node, and is not allotted into it
    one.set({0x0a000000}, 8, next_hop::none); // the part that it covered turns back to the /5
    EXPECT_EQ(heaps_of(one), (list{"node 0.0.0.0", " node 10.0.0.0"}));
    one.set({0x0a000000}, 8, {3});
    one.set({0x0a010000}, 16, next_hop::none); // the /8 would be alone in the node, and moves back
    EXPECT_EQ(heaps_of(one), list{"node 0.0.0.0"});
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

// A /7 is allotted to two octets and to the entry above them, which a lookup reads on its way back.
TEST(Art, ShowsTheEntriesOfARoute) {
    using A = ipv4_address;
    const routes<A> from(std::vector<route<A>>{{prefix<A>::make({0x0a000000}, 7), {1}},
                                               {prefix<A>::make({0x0b010000}, 16), {2}}});
    const auto built = fib<A>::build(from);
    ASSERT_TRUE(built);
    std::vector<std::string> shown;
    built->visit([&](const structure_node<A>& n) {
        node_contents held;
        n.contents(held);
        std::string text = std::to_string(n.slot) + " at " + std::to_string(n.offset) + ":";
        for (const node_contents::answer& one : held.answers)
            text += " " + std::to_string(one.slot) + ":" +
                    (one.hop == next_hop::none ? "none" : std::to_string(one.hop.id));
        shown.push_back(text);
    });
    EXPECT_EQ(shown,
              (std::vector<std::string>{"0 at 1024: 0:none 10:1 11:none", "0 at 0: 1:none 133:1 134:none",
                                        "11 at 3072: 0:none 1:2 2:none", "0 at 2048: 1:none"}));
    std::vector<std::string> steps;
    EXPECT_EQ(built->trace(A{0x0b020000},
                           [&](const trace_step& step) {
                               steps.push_back(std::string(step.part) + " " + std::to_string(step.key));
                           }),
              next_hop{1});
    EXPECT_EQ(steps, (std::vector<std::string>{"nodes 11", "nodes 2", "nodes 133", "routes 0"}));
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
    const std::size_t halves = changed_fib<A, fib<A>>::nodes_of(*built).size();
    EXPECT_EQ(built->memory_bytes(), halves * 1024 + from.size() * 4 + sizeof(fib<A>));
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
} // namespace fingerpost::testing::of_art
