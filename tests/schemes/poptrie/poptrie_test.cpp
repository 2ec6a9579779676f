// The nodes of a Poptrie bit by bit.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "fingerpost/rib/rib.hpp"
#include "fingerpost/schemes/poptrie/poptrie.hpp"
#include "tests/support/tables/tables.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_poptrie {
namespace {

using poptrie::fib;

template <class A, unsigned Direct>
using without_runs = fib<A, Direct, poptrie::basic_node>;

// A node as visit() shows it, without its name.
struct shown {
    std::uint64_t first, last;
    unsigned level;
    std::string kind;
    std::uint64_t bytes;
    std::size_t children;

    friend bool operator==(const shown&, const shown&) = default;
};
template <class A, class F>
std::vector<shown> nodes_of(const F& in) {
    std::vector<shown> all;
    in.visit([&](const structure_node<A>& n) {
        all.push_back({static_cast<std::uint64_t>(n.first.value), static_cast<std::uint64_t>(n.last.value),
                       n.level, std::string(n.kind), n.bytes, n.children});
    });
    return all;
}
// The bitmaps of the nodes on the path to an address.
template <class A, class F>
std::vector<std::vector<std::uint64_t>> bitmaps_on_way(const F& in, A a) {
    std::vector<std::vector<std::uint64_t>> all;
    in.trace(a, [&](const trace_step& step) {
        if (step.part == "nodes")
            all.emplace_back(step.values.begin(), step.values.end());
    });
    return all;
}

using twelve = address<12>;

// Handmade, because the table of the paper's figure is not known. 0/1 has next hop 1. In its slot 1, which is
// 000001, the first address has 3 and the others have 2.
rib<twelve> small_table() {
    rib<twelve> all;
    EXPECT_TRUE(all.insert(leading<twelve>(0, 1), {1}));
    EXPECT_TRUE(all.insert(leading<twelve>(1, 6), {2}));
    EXPECT_TRUE(all.insert(leading<twelve>(64, 12), {3}));
    return all;
}

TEST(Poptrie, HasTheNodesThatTheRoutesAskFor) {
    const auto in = fib<twelve, 0>::build(small_table().to_routes());
    ASSERT_TRUE(in);
    const std::vector<shown> wanted{{0, 4095, 0, "direct", 4, 1},
                                    {0, 4095, 1, "node", 24, 2},
                                    {0, 4095, 2, "leaves", 4, 0},
                                    {64, 127, 2, "node", 24, 1},
                                    {64, 127, 3, "leaves", 4, 0}};
    EXPECT_EQ(nodes_of<twelve>(*in), wanted);
}

// Slot 1 leads to a child and does not end the run of next hop 1; slots 32 to 63 have no route.
TEST(Poptrie, GoesOnWithARunAcrossASlotThatLeadsDown) {
    const auto in = fib<twelve, 0>::build(small_table().to_routes());
    ASSERT_TRUE(in);
    const std::vector<std::vector<std::uint64_t>> wanted{{0b10, 1 | std::uint64_t{1} << 32}, {0, 0b11}};
    EXPECT_EQ(bitmaps_on_way(*in, twelve{64}), wanted);
}

TEST(Poptrie, HasALeafForEachSlotWithoutLeafvec) {
    const auto in = without_runs<twelve, 0>::build(small_table().to_routes());
    ASSERT_TRUE(in);
    const std::vector<shown> wanted{
        {0, 4095, 0, "direct", 4, 1},
        {0, 4095, 1, "node", 16, 2},
        {0, 4095, 2, "leaves", 2 * 64, 0}, // 63, plus one for the link of a free block
        {64, 127, 2, "node", 16, 1},
        {64, 127, 3, "leaves", 2 * 64, 0}};
    EXPECT_EQ(nodes_of<twelve>(*in), wanted);
}

// A node with a single leaf is stored as a leaf of its parent.
TEST(Poptrie, MakesANodeOfOneLeafALeafOfItsParent) {
    rib<twelve> all;
    ASSERT_TRUE(all.insert(leading<twelve>(1, 1), {1}));
    ASSERT_TRUE(all.insert(leading<twelve>(0xfff, 12), {1}));
    const auto in = fib<twelve, 0>::build(all.to_routes());
    ASSERT_TRUE(in);
    const std::vector<shown> shallow{
        {0, 4095, 0, "direct", 4, 1}, {0, 4095, 1, "node", 24, 1}, {0, 4095, 2, "leaves", 4, 0}};
    EXPECT_EQ(nodes_of<twelve>(*in), shallow);
}

} // namespace
} // namespace fingerpost::testing::of_poptrie
