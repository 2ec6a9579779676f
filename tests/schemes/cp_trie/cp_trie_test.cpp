// Counts the nodes and leaves of a CP-Trie, for a handmade table and against the page's formula.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/net/text.hpp"
#include "fingerpost/schemes/cp_trie/cp_trie.hpp"
#include "tests/support/limits.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_cp_trie {
namespace {

using cp_trie::line_layout;
using cp_trie::split_layout;

template <class A, class Layout>
using trie = cp_trie::fib<A, Layout>;

template <class Fib>
std::size_t bytes_of_part(const Fib& fib, std::string_view name) {
    for (const memory_part& part : fib.memory_parts())
        if (part.name == name)
            return part.bytes;
    ADD_FAILURE() << "no part " << name;
    return 0;
}
// Without the leaf bitmaps, which count as separate nodes.
template <class A, class Fib>
std::vector<structure_node<A>> nodes_of(const Fib& fib) {
    std::vector<structure_node<A>> nodes;
    fib.visit([&](const structure_node<A>& node) {
        if (node.kind != "leaves")
            nodes.push_back(node);
    });
    return nodes;
}
template <class A>
routes<A> table_of(table<A> some) {
    return routes<A>(sorted<A>(std::move(some)));
}
// Counts the slots that are leaves, using only the answers.
template <class A>
std::size_t answered_slots(const std::vector<structure_node<A>>& nodes, const oracle::by_length<A>& truth) {
    std::size_t leaves = 0;
    for (const structure_node<A>& node : nodes) {
        const unsigned stride = node.level == 0 ? cp_trie::first_stride<A> : cp_trie::later_stride<A>;
        const unsigned length =
            node.level == 0 ? 0 : cp_trie::first_stride<A> + (node.level - 1) * cp_trie::later_stride<A>;
        std::vector<bool> has_child(std::size_t{1} << stride);
        for (const structure_node<A>& below : nodes)
            if (below.level == node.level + 1 && !(below.first < node.first) && !(node.last < below.first))
                has_child[slice(below.first, length, stride)] = true;
        for (std::size_t slot = 0; slot < has_child.size(); ++slot) {
            const auto bits = static_cast<typename A::value_type>(slot);
            const A a{static_cast<typename A::value_type>(node.first.value |
                                                          shift_left(bits, A::bits - length - stride))};
            leaves += !has_child[slot] && truth.lookup(a) != next_hop::none;
        }
    }
    return leaves;
}

template <class Layout>
class CpTrie : public ::testing::Test {};
using layouts = ::testing::Types<split_layout, line_layout>;
TYPED_TEST_SUITE(CpTrie, layouts);

// Handmade, because the table of the paper's figure is not known. A /16 and a /24 end at a level boundary, so
// they do not create a node below; a /17 and a /25 do.
TYPED_TEST(CpTrie, NodesOfASmallTable) {
    using A = ipv4_address;
    const auto fib = trie<A, TypeParam>::build(table_of<A>({{leading<A>(0x0a01, 16), {1}},
                                                            {leading<A>(0x0a0102, 24), {2}},
                                                            {leading<A>(0x0a010380 >> 7, 25), {3}},
                                                            {leading<A>(0x0b020000 >> 15, 17), {4}}}));
    ASSERT_TRUE(fib);
    const auto nodes = nodes_of<A>(*fib);
    ASSERT_EQ(nodes.size(), 4u);
    const bool has_runs = TypeParam::has_runs;
    const std::size_t own = has_runs ? 0 : 1; // leaf bitmaps
    EXPECT_EQ(nodes[0].kind, "root");
    EXPECT_EQ(nodes[0].children, 2u + own);
    EXPECT_EQ(nodes[1].first.value, 0x0a010000u);
    EXPECT_EQ(nodes[1].last.value, 0x0a01ffffu);
    EXPECT_EQ(nodes[1].slot, 0x0a01u);
    EXPECT_EQ(nodes[1].children, 1u + own);
    EXPECT_EQ(nodes[2].first.value, 0x0a010300u);
    EXPECT_EQ(nodes[2].level, 2u);
    EXPECT_EQ(nodes[2].slot, 3u);
    EXPECT_EQ(nodes[3].first.value, 0x0b020000u);
    EXPECT_EQ(nodes[3].level, 1u);
    EXPECT_EQ(nodes[3].children, own);
    // Nodes are numbered level by level, so 11.2 comes before 10.1.3.
    const std::size_t node_bytes = 4 * (has_runs ? 32 : 12);
    EXPECT_EQ(nodes[1].offset, 256 * node_bytes);
    EXPECT_EQ(nodes[2].offset, 258 * node_bytes);
    EXPECT_EQ(nodes[3].offset, 257 * node_bytes);
    // 10.1/16 except .2 and .3: 254 slots of 1, one of 2; below .3 128 of 1, 128 of 3; below 11.2 128 of 4.
    const std::size_t published = 1 + 254 + 1 + 128 + 128 + 128;
    // None, 1, 2, 1 (up to the child and after it), 4, none; below .3 1, 3.
    const std::size_t runs = 1 + 3 + 2 + 2;
    EXPECT_EQ(bytes_of_part(*fib, "codes"), has_runs ? runs : published);
    EXPECT_EQ(bytes_of_part(*fib, "blocks"), (1024u + 3 * 4) * (has_runs ? 32 : 24));
}

// 96 bytes per node and one code per leaf, as published. With runs, 128 bytes and fewer codes.
TYPED_TEST(CpTrie, MemoryIsTheFormula) {
    using A = ipv6_address;
    random_numbers random(11);
    const auto some = clustered_table<A>(random, 60, 200);
    const auto fib = trie<A, TypeParam>::build(routes<A>(some));
    ASSERT_TRUE(fib);
    const auto nodes = nodes_of<A>(*fib);
    ASSERT_GT(nodes.size(), 50u);
    const bool has_runs = TypeParam::has_runs;
    const std::size_t block = has_runs ? 32 : 24;
    EXPECT_EQ(bytes_of_part(*fib, "blocks"), 1024 * block + (nodes.size() - 1) * 4 * block);
    const std::size_t leaves = answered_slots<A>(nodes, oracle::by_length<A>(some));
    ASSERT_GT(leaves, 1000u);
    if (has_runs) {
        EXPECT_LT(bytes_of_part(*fib, "codes") * 4, leaves);
    } else {
        EXPECT_EQ(bytes_of_part(*fib, "codes"), leaves + 1);
    }
    EXPECT_EQ(fib->memory_bytes(),
              bytes_of_part(*fib, "blocks") + bytes_of_part(*fib, "codes") + sizeof *fib);
}

// Codes of one, two and four bytes, and tables of next hops.
TYPED_TEST(CpTrie, CodesOfEveryWidth) {
    using A = ipv4_address;
    const struct {
        std::uint32_t count, step;
        std::size_t bytes;
    } cases[] = {{200, 1, 1}, {300, 1, 2}, {70001, 1, 4}, {200, 20'000'000, 1}, {70001, 60000, 4}};
    for (const auto& [count, step, bytes] : cases) {
        table<A> all;
        for (std::uint32_t i = 0; i < count; ++i)
            all.push_back({prefix<A>::make(A{0x0a000000 + i * 16}, 28), {i * step}});
        const auto fib = trie<A, TypeParam>::build(routes<A>(all));
        ASSERT_TRUE(fib);
        EXPECT_EQ(bytes_of_part(*fib, "codes") % bytes, 0u);
        if (TypeParam::has_runs) { // plus the space before and after the routes
            EXPECT_EQ(bytes_of_part(*fib, "codes"), (count + 2) * bytes);
        }
    }
}

} // namespace
} // namespace fingerpost::testing::of_cp_trie
