// The nodes of a tree bitmap, their memory, and changes that are easy to get wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "fingerpost/rib/rib.hpp"
#include "fingerpost/schemes/tree_bitmap/split.hpp"
#include "fingerpost/schemes/tree_bitmap/tree_bitmap.hpp"
#include "tests/support/limits.hpp"
#include "tests/support/suite.hpp"

namespace fingerpost::testing::of_tree_bitmap {
namespace {

using tree_bitmap::fib;
using tree_bitmap::split_fib;

template <class A>
prefix<A> bits(const std::string& text) {
    typename A::value_type value = 0;
    for (const char c : text)
        value = static_cast<typename A::value_type>(value << 1 | (c == '1' ? 1u : 0u));
    const auto length = static_cast<unsigned>(text.size());
    return prefix<A>::make(A{shift_left(value, A::bits - length)}, length);
}

struct seen_node {
    unsigned level;
    std::string kind;
    std::uint32_t first;
    std::uint32_t last;
    std::size_t children;
    friend bool operator==(const seen_node&, const seen_node&) = default;
};
template <class F>
std::vector<seen_node> nodes_of(const F& built) {
    std::vector<seen_node> all;
    built.visit([&](const auto& n) {
        all.push_back({n.level, std::string(n.kind), n.first.value, n.last.value, n.children});
    });
    return all;
}

// The routes have the next hops 1, 2 and so on.
template <class A, class F>
void expect_nodes(std::initializer_list<const char*> routes, const std::vector<seen_node>& expected) {
    rib<A> truth;
    std::uint32_t hop = 0;
    for (const char* p : routes)
        ASSERT_TRUE(truth.announce(bits<A>(p), {++hop}));
    const auto built = F::build(truth.to_routes());
    ASSERT_TRUE(built);
    EXPECT_EQ(nodes_of(*built), expected);
}

const std::initializer_list<const char*> routes_of_paper{"",     "1",     "00",     "101",    "111",
                                                         "1000", "11101", "111001", "1000011"};
// The prefixes P1 to P9 of the paper, with strides of 3. P7 and P8 are in an end node, so they need no
// further node.
TEST(TreeBitmap, HasTheNodesOfThePaper) {
    using A = address<7>;
    const std::vector<seen_node> expected{
        {0, "array", 0b0000000, 0b1111111, 1},   {1, "node", 0b0000000, 0b1111111, 4},
        {2, "results", 0b0000000, 0b1111111, 0}, {2, "node", 0b1000000, 0b1001111, 2},
        {3, "results", 0b1000000, 0b1001111, 0}, {3, "end node", 0b1000010, 0b1000011, 1},
        {4, "results", 0b1000010, 0b1000011, 0}, {2, "end node", 0b1010000, 0b1011111, 1},
        {3, "results", 0b1010000, 0b1011111, 0}, {2, "end node", 0b1110000, 0b1111111, 1},
        {3, "results", 0b1110000, 0b1111111, 0},
    };
    expect_nodes<A, fib<A, 3>>(routes_of_paper, expected);
}

TEST(TreeBitmap, ShowsTheBitsAndNextHopsOfThePaper) {
    using A = address<7>;
    rib<A> truth;
    std::uint32_t hop = 0;
    for (const char* p : routes_of_paper)
        ASSERT_TRUE(truth.announce(bits<A>(p), {++hop}));
    const auto built = fib<A, 3>::build(truth.to_routes());
    ASSERT_TRUE(built);
    std::vector<std::string> shown;
    built->visit([&](const structure_node<A>& n) {
        node_contents held;
        n.contents(held);
        std::string text = std::to_string(n.slot) + " ";
        for (const std::uint64_t word : held.values)
            text += std::to_string(word) + " ";
        for (const node_contents::answer& one : held.answers)
            text += std::to_string(one.slot) + ":" + std::to_string(one.hop.id) + " ";
        if (n.first.value == 0 || n.first.value == 0b1110000)
            shown.push_back(text);
    });
    // Internal bits 1, 3 and 4, external bits 4, 5 and 7. In the end node, bits 1 and 5 of the first word and
    // bit 1 of the second.
    EXPECT_EQ(shown, (std::vector<std::string>{"0 0:4294967295 ", "0 26 176 ", "0 0:1 1:2 2:3 ", "7 34 2 ",
                                               "0 0:5 1:7 2:8 "}));
}

// 9 bytes per entry of the initial array, the size of the nodes, and 4 bytes per route outside the array.
template <class A, unsigned Stride>
void expect_memory_of_formula(std::size_t size) {
    random_numbers random(5);
    const routes<A> from(clustered_table<A>(random, size, 100));
    const auto built = fib<A, Stride>::build(from);
    ASSERT_TRUE(built);
    std::size_t nodes = 0;
    built->visit([&](const auto& n) { nodes += n.part == "nodes" ? 1 : 0; });
    const auto in_nodes = std::count_if(from.sorted().begin(), from.sorted().end(), [&](const route<A>& r) {
        return r.where.length >= built->initial_bits();
    });
    EXPECT_EQ(built->memory_bytes(), (std::size_t{9} << built->initial_bits()) +
                                         nodes * sizeof(tree_bitmap::node<Stride>) +
                                         static_cast<std::size_t>(in_nodes) * 4 + sizeof(fib<A, Stride>));
}
TEST(TreeBitmap, MemoryIsThatOfTheFormula) {
    expect_memory_of_formula<ipv4_address, 4>(5000);
    expect_memory_of_formula<ipv4_address, 8>(40'000);
    expect_memory_of_formula<ipv6_address, 6>(40'000);
    expect_memory_of_formula<ipv6_address, 3>(140'000);
    expect_memory_of_formula<ipv4_address, 5>(40'000);
    expect_memory_of_formula<ipv6_address, 5>(140'000);
}

// Routes shorter than the initial array have entries, some of which longer routes take over and give back.
TEST(TreeBitmap, ShortRoutesChangeInTheInitialArray) {
    using A = ipv4_address;
    random_numbers random(7);
    rib<A> truth;
    for (std::uint32_t i = 0; i < 20'000; ++i) {
        const auto length = static_cast<unsigned>(13 + random.below(20));
        ASSERT_TRUE(truth.announce(prefix<A>::make(random.address<A>(), length), {i % 100}));
    }
    auto built = fib<A, 4>::build(truth.to_routes());
    ASSERT_TRUE(built);
    ASSERT_EQ(built->initial_bits(), 12U);
    for (std::uint32_t round = 0; round < 300; ++round) {
        const auto where =
            prefix<A>::make({static_cast<std::uint32_t>(random.below(8)) << 29 | 0x01010101u * (round % 3)},
                            static_cast<unsigned>(random.below(13)));
        if (const auto told = random.below(2) == 0 ? truth.withdraw(where) : truth.announce(where, {round})) {
            ASSERT_EQ(built->apply(*told), errc::ok);
        }
        if (round % 50 == 49) {
            for (const A a : addresses_to_try<A>(truth.to_routes().sorted()))
                ASSERT_EQ(built->lookup(a), truth.lookup(a)) << text_of(a);
        }
    }
}

TEST(TreeBitmap, ATableThatHasShrunkAsksForASmallerArray) {
    using A = ipv4_address;
    rib<A> truth;
    constexpr std::uint32_t size = 1u << 14;
    for (std::uint32_t i = 0; i < size; ++i)
        ASSERT_TRUE(truth.announce(prefix<A>::make({i << 12}, 20), {i % 7}));
    auto built = fib<A, 4>::build(truth.to_routes());
    ASSERT_TRUE(built);
    ASSERT_EQ(built->initial_bits(), 12U);
    const auto last = truth.withdraw(prefix<A>::make({5u << 12}, 20));
    ASSERT_TRUE(last);
    EXPECT_EQ(built->apply(*last), errc::capacity);
    const auto anew = fib<A, 4>::build(truth.to_routes());
    ASSERT_TRUE(anew);
    EXPECT_EQ(anew->initial_bits(), 0U);
}

// The strides after the array end at /24 and /48.
TEST(TreeBitmap, InitialArraysLeaveWholeStrides) {
    using tree_bitmap::initial_bits_for;
    const auto expect_bits = [](unsigned bits, unsigned expected, unsigned border, unsigned stride) {
        EXPECT_EQ(bits, expected) << "strides of " << stride;
        EXPECT_EQ((border - bits) % stride, 0U) << "strides of " << stride;
    };
    EXPECT_EQ((initial_bits_for<ipv4_address, 5>((1u << 14) - 1)), 0U);
    EXPECT_EQ((initial_bits_for<address<12>, 5>(1u << 14)), 0U);
    expect_bits(initial_bits_for<ipv4_address, 3>(1u << 14), 12, 24, 3);
    expect_bits(initial_bits_for<ipv4_address, 4>(1u << 14), 12, 24, 4);
    expect_bits(initial_bits_for<ipv4_address, 5>(1u << 14), 14, 24, 5);
    expect_bits(initial_bits_for<ipv4_address, 8>(1u << 14), 8, 24, 8);
    expect_bits(initial_bits_for<ipv4_address, 4>(1u << 16), 16, 24, 4);
    expect_bits(initial_bits_for<ipv6_address, 3>(1u << 16), 15, 48, 3);
    expect_bits(initial_bits_for<ipv6_address, 5>(1u << 16), 13, 48, 5);
    expect_bits(initial_bits_for<ipv6_address, 6>(1u << 16), 12, 48, 6);
    expect_bits(initial_bits_for<ipv6_address, 8>(1u << 16), 16, 48, 8);
}

TEST(TreeBitmap, SaysThatItsNodesHaveEnded) {
    using A = address<12>;
    const table<A> one{{bits<A>("000000000001"), {1}}};
    expect_least<fib<A, 3>>(one, 4);    // levels of nodes, the last one an end node
    expect_least<split_fib<A>>(one, 2); // strides of 8
}

// A handmade example: the paper draws split nodes without a table of routes.
TEST(TreeBitmap, SplitsNodes) {
    using A = address<20>;
    // The root has routes and children. The node below it has only children, and the one below that has both.
    const std::vector<seen_node> expected{
        {0, "array", 0, 0xfffff, 1},
        {1, "node", 0, 0xfffff, 3},
        {2, "internal node", 0, 0xfffff, 0},
        {2, "results", 0, 0xfffff, 0},
        {2, "node", 0xff000, 0xfffff, 1},
        {3, "end node", 0xff000, 0xff00f, 2},
        {4, "internal node", 0xff000, 0xff00f, 0},
        {4, "results", 0xff000, 0xff00f, 0},
    };
    expect_nodes<A, split_fib<A>>(
        {"", "0000", "1111111100000000", "11111111000000001", "1111111100000000111"}, expected);
}

// 8 bytes per entry of the initial array, 64 per search node, 40 per internal or empty node, and 4 bytes per
// route outside the array.
template <class A>
void expect_memory_of_split(std::size_t size) {
    random_numbers random(5);
    const routes<A> from(clustered_table<A>(random, size, 100));
    const auto built = split_fib<A>::build(from);
    ASSERT_TRUE(built);
    std::size_t search = 0, internal = 0;
    built->visit([&](const auto& n) {
        search += n.part == "search nodes" ? 1 : 0;
        internal += n.part == "internal nodes" ? 1 : 0;
    });
    EXPECT_GT(internal, 0U);
    EXPECT_LT(internal, search);
    const auto whole = fib<A, 8>::build(from);
    ASSERT_TRUE(whole);
    EXPECT_EQ(built->memory_bytes(), (std::size_t{8} << whole->initial_bits()) + search * 64 +
                                         (internal + 1) * 40 + whole->nodes().route_count() * 4 +
                                         sizeof(split_fib<A>));
}
TEST(TreeBitmap, MemoryOfSplitNodesIsThatOfTheFormula) {
    expect_memory_of_split<ipv4_address>(5000);
    expect_memory_of_split<ipv6_address>(40'000);
}

} // namespace
} // namespace fingerpost::testing::of_tree_bitmap
