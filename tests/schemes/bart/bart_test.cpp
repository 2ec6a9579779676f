// The nodes of bart, their memory, and changes that are easy to get wrong.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "fingerpost/schemes/bart/bart.hpp"
#include "tests/support/changed_fib.hpp"
#include "tests/support/limits.hpp"

namespace fingerpost::testing::of_bart {
namespace {

using bart::fib;

// The nodes, leaves and fringes of a FIB, without its arrays of children and next hops.
template <class A>
std::vector<std::string> shape_of(const changed_fib<A, fib<A>>& one) {
    std::vector<std::string> shape;
    for (const std::string& node : one.nodes())
        if (node.find("children") == std::string::npos && node.find("hops") == std::string::npos)
            shape.push_back(node);
    return shape;
}

// A handmade example, because there is no paper.
TEST(Bart, LeavesAndFringesArePushedDownAndComeBack) {
    using A = ipv4_address;
    changed_fib<A, fib<A>> one;
    using list = std::vector<std::string>;
    one.set({0x0a000000}, 8, {0}); // ends with the first octet
    EXPECT_EQ(shape_of(one), (list{"node 0.0.0.0", " fringe 10.0.0.0"}));
    one.set({0x0b010200}, 24, {1}); // the only route below its octet
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
    const table<A> all{{prefix<A>::make({1}, 31), {1}}, {prefix<A>::make({1}, 32), {2}}};
    expect_least<fib<A>>(all, 4);
}

} // namespace
} // namespace fingerpost::testing::of_bart
