// The nodes of a binary trie for a handmade example (the papers have no figure for it), and its memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fingerpost/schemes/binary_trie/binary_trie.hpp"
#include "tests/support/limits.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_binary_trie {
namespace {

// Routes 0*, 010* and 11*: the root, two vertices below it, 01, 010 and 11.
TEST(BinaryTrie, HasTheNodesThatOneWouldDraw) {
    using A = address<3>;
    const auto fib = binary_trie::fib<A>::build(routes<A>(
        sorted<A>({{leading<A>(0, 1), {1}}, {leading<A>(0b010, 3), {2}}, {leading<A>(0b11, 2), {3}}})));
    ASSERT_TRUE(fib);
    std::vector<std::string> nodes;
    fib->visit([&](const structure_node<A>& n) {
        nodes.push_back(std::to_string(n.level) + " " + std::string(n.kind) + " " + text_of(n.first) + "-" +
                        text_of(n.last) + " " + std::to_string(n.children) + ", number " +
                        std::to_string(n.offset / 12) + " in slot " + std::to_string(n.slot));
        node_contents held;
        n.contents(held);
        for (const node_contents::answer& own : held.answers)
            nodes.back() += " has " + std::to_string(own.hop.id);
        EXPECT_EQ(n.bytes, 12U);
    });
    const std::vector<std::string> right{
        "0 node 000-111 2, number 0 in slot 0", "1 route 000-011 1, number 1 in slot 0 has 1",
        "2 node 010-011 1, number 2 in slot 1", "3 route 010-010 0, number 3 in slot 0 has 2",
        "1 node 100-111 1, number 4 in slot 1", "2 route 110-111 0, number 5 in slot 1 has 3"};
    EXPECT_EQ(nodes, right);
}

// 12 bytes per vertex. The vertices are all leading parts of the routes.
template <class A>
void expect_memory_by_formula() {
    random_numbers random(6);
    const table<A> all = clustered_table<A>(random, 20'000, 5);
    std::size_t vertices = 1;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const unsigned shared =
            i == 0 ? 0
                   : std::min({common_length(all[i - 1].where.base, all[i].where.base),
                               unsigned{all[i - 1].where.length}, unsigned{all[i].where.length}});
        vertices += all[i].where.length - shared;
    }
    const auto fib = binary_trie::fib<A>::build(routes<A>(all));
    ASSERT_TRUE(fib);
    std::size_t visited = 0;
    fib->visit([&](const structure_node<A>&) { ++visited; });
    EXPECT_EQ(visited, vertices);
}
TEST(BinaryTrie, TakesItsFormulaOfMemory) {
    expect_memory_by_formula<ipv4_address>();
    expect_memory_by_formula<ipv6_address>();
}

} // namespace
} // namespace fingerpost::testing::of_binary_trie
