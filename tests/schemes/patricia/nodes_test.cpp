// The nodes of a path-compressed trie on an example made by hand, because no paper at hand has a figure of
// this form, and its memory.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fingerpost/schemes/patricia/patricia.hpp"
#include "tests/support/limits.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing {
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
    fib->visit([&](const structure_node<A>& n) {
        nodes.push_back(std::to_string(n.level) + " " + std::string(n.kind) + " " + text_of(n.first) + "-" +
                        text_of(n.last));
    });
    const std::vector<std::string> right{"0 root 00000-11111",  "1 route 00000-01111", "2 fork 00000-00011",
                                         "3 route 00001-00001", "3 route 00011-00011", "1 route 11111-11111"};
    EXPECT_EQ(nodes, right);
}

// At most one fork a route, beside the root, and no memory beside the nodes.
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
    EXPECT_GE(fib->memory_bytes(), formula);
    EXPECT_LE(static_cast<double>(fib->memory_bytes()), static_cast<double>(formula) * 1.15);
}
TEST(Patricia, TakesItsFormulaOfMemory) {
    expect_memory_by_formula<ipv4_address>();
    expect_memory_by_formula<ipv6_address>();
}

} // namespace
} // namespace fingerpost::testing
