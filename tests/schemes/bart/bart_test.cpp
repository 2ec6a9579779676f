// The contents of the nodes of bart, their memory, and the changes that are easily got wrong.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "fingerpost/schemes/bart/bart.hpp"
#include "tests/support/changed_fib.hpp"
#include "tests/support/tables/tables.hpp"

namespace fingerpost::testing::of_bart {
namespace {

using bart::fib;

// The nodes, leaves and fringes of a FIB, without the arrays of children and next hops.
template <class A>
std::vector<std::string> shape_of(const changed_fib<A, fib<A>>& one) {
    std::vector<std::string> shape;
    for (const std::string& node : one.nodes())
        if (node.find("children") == std::string::npos && node.find("hops") == std::string::npos)
            shape.push_back(node);
    return shape;
}

// An example by hand, as there is no paper.
TEST(Bart, LeavesAndFringesArePushedDownAndComeBack) {
    using A = ipv4_address;
    changed_fib<A, fib<A>> one;
    using list = std::vector<std::string>;
    one.set({0x0a000000}, 8, {0}); // ends with the first octet
    EXPECT_EQ(shape_of(one), (list{"node 0.0.0.0", " fringe 10.0.0.0"}));
    one.set({0x0b010200}, 24, {1}); // alone below its octet
    EXPECT_EQ(shape_of(one), (list{"node 0.0.0.0", " fringe 10.0.0.0", " leaf 11.1.2.0"}));
    one.set({0x0a010000}, 16, {2}); // the fringe becomes the new node's own prefix
    EXPECT_EQ(shape_of(one), (list{"node 0.0.0.0", " node 10.0.0.0", "  fringe 10.1.0.0", " leaf 11.1.2.0"}));
    one.set({0x0b010203}, 32, {3}); // the leaf is pushed down two nodes
    EXPECT_EQ(shape_of(one), (list{"node 0.0.0.0", " node 10.0.0.0", "  fringe 10.1.0.0", " node 11.0.0.0",
                                   "  node 11.1.0.0", "   node 11.1.2.0", "    fringe 11.1.2.3"}));
    one.set({0x0a000000}, 8, next_hop::none); // the rest of the node becomes a leaf
    one.set({0x0b010200}, 24, next_hop::none);
    EXPECT_EQ(shape_of(one), (list{"node 0.0.0.0", " leaf 10.1.0.0", " leaf 11.1.2.3"}))
        << "the ways of one route go at once";
    one.set({0x0b000000}, 9, {4});
    one.set({0x0b800000}, 9, {5});
    one.set({0x0b010203}, 32, next_hop::none);
    one.set({0x0b800000}, 9, next_hop::none);
    EXPECT_EQ(shape_of(one), (list{"node 0.0.0.0", " leaf 10.1.0.0", " leaf 11.0.0.0"}));
    one.set({}, 0, {6});
    one.set({0x0a010000}, 16, next_hop::none);
    one.set({}, 0, next_hop::none);
    one.set({0x0b000000}, 9, next_hop::none);
    EXPECT_EQ(shape_of(one), list{"node 0.0.0.0"});
}

// What each node holds, and the bits that lead to the child and to the next hop.
TEST(Bart, ShowsItsBitsChildrenAndNextHops) {
    using A = ipv4_address;
    const routes<A> from(std::vector<route<A>>{{prefix<A>::make({0x08000000}, 5), {1}},
                                               {prefix<A>::make({0x0a000000}, 8), {2}},
                                               {prefix<A>::make({0x0b010200}, 24), {3}}});
    const auto built = fib<A>::build(from);
    ASSERT_TRUE(built);
    std::vector<std::string> shown;
    built->visit([&](const structure_node<A>& n) {
        node_contents held;
        n.contents(held);
        std::string text =
            std::string(n.kind) + " in " + std::to_string(n.slot) + " at " + std::to_string(n.offset) + ":";
        for (const node_contents::answer& one : held.answers)
            text += " " + std::to_string(one.slot) + ":" + std::to_string(one.hop.id);
        shown.push_back(text);
    });
    EXPECT_EQ(shown, (std::vector<std::string>{"node in 0 at 0:", "children in 0 at 0: 0:2 1:3",
                                               "hops in 0 at 0: 0:1", "fringe in 10 at 0: 0:2",
                                               "leaf in 11 at 0: 0:3"}));
    std::vector<std::string> steps;
    EXPECT_EQ(built->trace(A{0x0b000000},
                           [&](const trace_step& step) {
                               steps.push_back(std::string(step.part) + " " +
                                               std::to_string(step.counted.words) + " " +
                                               std::to_string(step.counted.rank));
                           }),
              next_hop{1});
    EXPECT_EQ(steps,
              (std::vector<std::string>{"nodes 4 1", "children 0 0", "leaves 0 0", "nodes 4 0", "hops 0 0"}));
}

TEST(Bart, EveryLengthIsRight) {
    expect_all_widths_right<fib>();
}

template <class A>
void expect_memory_of_formula(std::size_t leaf_bytes) {
    random_numbers random(5);
    const routes<A> from(clustered_table<A>(random, 5000, 100));
    const auto built = fib<A>::build(from);
    ASSERT_TRUE(built);
    std::map<std::string_view, std::size_t> count;
    built->visit([&](const structure_node<A>& n) { ++count[n.kind]; });
    const std::size_t outside = count["leaf"] + count["fringe"];
    const std::size_t children = count["node"] - 1 + outside;
    EXPECT_GT(count["leaf"], 100U);
    EXPECT_GT(count["fringe"], 100U);
    EXPECT_EQ(built->memory_bytes(), count["node"] * 80 + children * 8 + count["leaf"] * leaf_bytes +
                                         (from.size() - outside) * 4 + sizeof(fib<A>));
}
TEST(Bart, MemoryIsThatOfTheFormula) {
    expect_memory_of_formula<ipv4_address>(16);
    expect_memory_of_formula<ipv6_address>(24);
}

TEST(Bart, SaysThatItsNodesHaveEnded) {
    using A = ipv4_address;
    const routes<A> from(
        std::vector<route<A>>{{prefix<A>::make({1}, 31), {1}}, {prefix<A>::make({1}, 32), {2}}});
    EXPECT_TRUE(fib<A>::build(from, {}, 4));
    EXPECT_EQ(fib<A>::build(from, {}, 3).error(), errc::capacity);
}

} // namespace
} // namespace fingerpost::testing::of_bart
