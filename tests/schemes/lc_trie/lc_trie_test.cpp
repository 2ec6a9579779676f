// Which routes are in the base vector and which in the chains, how branches are chosen, and where empty
// children lead.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fingerpost/schemes/lc_trie/lc_trie.hpp"
#include "tests/support/tables/tables.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_lc_trie {
namespace {

template <class A, class Fib>
std::vector<std::string> nodes_of(const Fib& fib) {
    std::vector<std::string> nodes;
    fib.visit([&](const structure_node<A>& node) {
        nodes.push_back(std::to_string(node.level) + " " + text_of(node.first) + " " +
                        std::to_string(node.children));
    });
    return nodes;
}

// Handmade with five bits, because the table of the paper's figure is not known. The covers are 0*, 01* and
// 0110*; the other routes form the base vector. Six entries occupy 5 of 8 slots of three bits, but fewer than
// half of 16 slots.
TEST(LcTrie, BuildsASmallTableAsByHand) {
    using A = address<5>;
    const table<A> all = sorted<A>({{leading<A>(0b0, 1), {1}},
                                    {leading<A>(0b000, 3), {2}},
                                    {leading<A>(0b01, 2), {3}},
                                    {leading<A>(0b0110, 4), {4}},
                                    {leading<A>(0b01101, 5), {5}},
                                    {leading<A>(0b0111, 4), {6}},
                                    {leading<A>(0b100, 3), {7}},
                                    {leading<A>(0b101, 3), {8}},
                                    {leading<A>(0b11100, 5), {9}}});
    const lc_trie::builder<A, 50, 0> made(all);
    ASSERT_EQ(made.base.size(), 6U);
    ASSERT_EQ(made.prefixes.size(), 3U);
    EXPECT_EQ(made.base[1].chain, 2U);
    EXPECT_EQ(made.prefixes[2].shorter, 1U);
    EXPECT_EQ(made.prefixes[1].shorter, 0U);
    EXPECT_EQ(made.prefixes[0].shorter, lc_trie::no_prefix);
    const auto fib = lc_trie::fib<A, 50, 0>::build(routes<A>(all));
    ASSERT_TRUE(fib);
    const std::vector<std::string> right{"0 00000 8", "1 00000 0", "1 00100 0", "1 01000 0",
                                         "1 01100 2", "2 01100 0", "2 01110 0", "1 10000 0",
                                         "1 10100 0", "1 11000 0", "1 11100 0"};
    EXPECT_EQ(nodes_of<A>(*fib), right);
    // The leaf of 01101, which 0110*, 01* and 0* cover.
    std::vector<std::uint64_t> told;
    fib->visit([&](const structure_node<A>& node) {
        node_contents held;
        node.contents(held);
        if (node.level != 2 || node.first.value != 0b01100)
            return;
        EXPECT_EQ(held.values, std::vector<std::uint64_t>{0b01101});
        EXPECT_EQ(node.bits, 5U);
        for (const node_contents::answer& one : held.answers)
            told.push_back(one.hop.id);
        for (const node_contents::number& one : held.numbers)
            told.push_back(one.value);
    });
    EXPECT_EQ(told, (std::vector<std::uint64_t>{5, 4, 3, 1, 1, 5, 4, 2, 1}))
        << "next hops, the entry, and lengths";
    // 010 is empty. Its cover 01* also covers the next entry, but not the preceding one.
    EXPECT_EQ(made.trie[1 + 2].at, 1U);
}

TEST(LcTrie, SkipsWhatAllEntriesBelowAgreeIn) {
    using A = ipv6_address;
    const table<A> all = sorted<A>({{leading<A>(0x20010db80001, 48), {1}},
                                    {leading<A>(0x20010db80002, 48), {2}},
                                    {leading<A>(0x20010db8, 32), {3}}});
    const lc_trie::builder<A, 50, 16> made(all);
    EXPECT_EQ(made.trie.size(), 3U);
    EXPECT_EQ(made.trie[0].skip, 46U);
    EXPECT_EQ(made.trie[0].branch, 1U);
}

// An entry shorter than the branch fills all its children.
TEST(LcTrie, AShortEntryTakesSeveralChildren) {
    using A = address<12>;
    table<A> all{{leading<A>(0, 1), {99}}};
    for (std::uint32_t i = 8; i < 16; ++i)
        all.push_back({leading<A>(i, 4), {i}});
    const auto fib = lc_trie::fib<A>::build(routes<A>(all));
    ASSERT_TRUE(fib);
    EXPECT_EQ(nodes_of<A>(*fib).size(), 17U);
}

TEST(LcTrie, ALargeTableHasARootOfItsOwn) {
    using A = address<20>;
    table<A> all;
    for (std::uint32_t i = 0; i < 128; ++i) // in one corner, where a fill factor alone gives fewer
        all.push_back({leading<A>(i, 20), {i}});
    all.push_back({leading<A>(0xfffff, 20), {128}});
    const lc_trie::builder<A, 50, 8> forced(all);
    EXPECT_EQ(forced.trie[0].branch, 8U);
    const lc_trie::builder<A, 50, 0> chosen(all);
    EXPECT_EQ(chosen.trie[0].branch, 2U);
    all.resize(127);
    const lc_trie::builder<A, 50, 8> small(all);
    EXPECT_EQ(small.trie[0].branch, 7U);
}

TEST(LcTrie, MemoryIsThatOfTheFormula) {
    random_numbers random(4);
    for (const std::size_t size : {0U, 1U, 30U, 2000U}) {
        using A = ipv6_address;
        const table<A> all = clustered_table<A>(random, size, 70);
        std::size_t covers = 0;
        for (std::size_t i = 0; i + 1 < all.size(); ++i)
            covers += all[i].where.covers(all[i + 1].where) ? 1 : 0;
        const auto fib = lc_trie::fib<A>::build(routes<A>(all));
        ASSERT_TRUE(fib);
        const std::size_t base = all.empty() ? 1 : all.size() - covers;
        EXPECT_EQ(fib->memory_bytes(), 8 * nodes_of<A>(*fib).size() + 32 * base + 12 * covers + sizeof *fib);
    }
}

} // namespace
} // namespace fingerpost::testing::of_lc_trie
