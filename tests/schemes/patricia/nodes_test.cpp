// The nodes of a path-compressed trie for a handmade example (no available paper has a figure of this form),
// and its memory.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fingerpost/schemes/patricia/patricia.hpp"
#include "tests/support/limits.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_patricia {
namespace {

// Routes 0*, 00001*, 00011* and 11111*: 0* and 11111* part at the first bit, 00001* and 00011* after 000.
TEST(Patricia, HasTheNodesThatOneWouldDraw) {
    using A = address<5>;
    const auto fib = patricia::fib<A>::build(routes<A>(sorted<A>({{leading<A>(0, 1), {1}},
                                                                  {leading<A>(0b00001, 5), {2}},
                                                                  {leading<A>(0b00011, 5), {3}},
                                                                  {leading<A>(0b11111, 5), {4}}})));
    ASSERT_TRUE(fib);
    std::vector<std::string> nodes;
    std::vector<std::string> keys;
    fib->visit([&](const structure_node<A>& n) {
        nodes.push_back(std::to_string(n.level) + " " + std::string(n.kind) + " " + text_of(n.first) + "-" +
                        text_of(n.last));
        node_contents held;
        n.contents(held);
        ASSERT_EQ(held.values.size(), 1U);
        keys.push_back(std::to_string(n.slot) + ": " + std::to_string(held.values[0]) + " of " +
                       std::to_string(n.bits) + " bits");
        for (const node_contents::answer& own : held.answers)
            keys.back() += " has " + std::to_string(own.hop.id);
    });
    const std::vector<std::string> right{"0 root 00000-11111",  "1 route 00000-01111", "2 fork 00000-00011",
                                         "3 route 00001-00001", "3 route 00011-00011", "1 route 11111-11111"};
    EXPECT_EQ(nodes, right);
    const std::vector<std::string> right_keys{"0: 0 of 0 bits",       "0: 0 of 1 bits has 1",
                                              "0: 0 of 3 bits",       "0: 1 of 5 bits has 2",
                                              "1: 3 of 5 bits has 3", "1: 31 of 5 bits has 4"};
    EXPECT_EQ(keys, right_keys);
    // Below the fork of 000* is 00001*, which differs in the last bit. This is a miss; the lookup has passed
    // the next hop of 0*.
    std::vector<trace_step> steps;
    EXPECT_EQ(fib->trace(A{0b00000}, [&](const trace_step& step) { steps.push_back(step); }), next_hop{1});
    ASSERT_EQ(steps.size(), 4U);
    EXPECT_EQ(steps[0].best, next_hop::none);
    EXPECT_EQ(steps[2].best, next_hop{1});
    EXPECT_EQ(steps[3].result, outcome::missed);
    EXPECT_EQ(steps[3].best, next_hop{1});
}

// At most one fork per route in addition to the root, and no memory besides the nodes.
template <class A>
void expect_memory_by_formula() {
    random_numbers random(7);
    rib<A> truth;
    ASSERT_TRUE(truth.assign(clustered_table<A>(random, 20'000, 5)));
    const auto fib = patricia::fib<A>::build(truth.to_routes());
    ASSERT_TRUE(fib);
    std::size_t route_nodes = 0, forks = 0, formula = 0;
    fib->visit([&](const structure_node<A>& n) {
        (n.kind == "route" ? route_nodes : forks) += 1;
        formula += n.bytes;
    });
    EXPECT_EQ(route_nodes, truth.size());
    EXPECT_LE(forks, truth.size());
    EXPECT_LE(formula, (truth.size() + 1) * 64);
}
TEST(Patricia, TakesItsFormulaOfMemory) {
    expect_memory_by_formula<ipv4_address>();
    expect_memory_by_formula<ipv6_address>();
}

} // namespace
} // namespace fingerpost::testing::of_patricia
