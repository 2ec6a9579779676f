// SAIL_B has a bitmap for each length up to 24, and probes them from the longest to the shortest.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/schemes/sail_b/sail_b.hpp"
#include "tests/support/tables/tables.hpp"

namespace fingerpost::testing::of_sail_b {
namespace {

using A = ipv4_address;

TEST(SailB, ProbesTheLengthsFromThePivotToTheMatch) {
    table<A> all;
    for (unsigned length = 0; length <= 32; ++length)
        all.push_back({leading<A>(0, length), {length}});
    const auto fib = sail_b::fib<A>::build(routes<A>(all));
    ASSERT_TRUE(fib);
    for (unsigned length = 0; length <= 24; ++length) {
        // The sibling of the next longer route gets its answer from this route, or is in the chunk.
        const A at = length < 32 ? leading<A>(1, length + 1).base : A{};
        std::vector<std::string_view> steps;
        ASSERT_EQ(fib->trace(at, [&](const trace_step& step) { steps.push_back(step.part); }).id, length);
        const std::size_t probes = 24 - length + 1;
        ASSERT_EQ(steps.size(), probes + (length == 24 ? 2 : 1)) << length;
        for (std::size_t i = 0; i < probes; ++i)
            ASSERT_EQ(steps[i], "bitmap");
    }
}

// Handmade, because the table of the paper's figure is not known.
TEST(SailB, ShowsTheNodesOfASmallTable) {
    const table<A> all = sorted<A>({{leading<A>(10, 8), {1}}, {leading<A>(0x0a010180, 32), {3}}});
    const auto fib = sail_b::fib<A>::build(routes<A>(all));
    ASSERT_TRUE(fib);
    std::size_t bitmaps = 0, arrays = 0, chunks = 0;
    fib->visit([&](const structure_node<A>& node) {
        if (node.kind == "bitmap") {
            // Bitmaps of less than 64 bits share a word.
            const std::size_t bits = std::size_t{1} << (24 - bitmaps);
            EXPECT_EQ(node.bytes, bits >= 64 ? bits / 8 : bits == 32 ? 8 : 0);
            ++bitmaps;
        } else if (node.kind == "array") {
            EXPECT_EQ(node.bytes, (std::size_t{1} << (24 - arrays)) * 4);
            ++arrays;
        } else {
            EXPECT_EQ(node.first, leading<A>(0x0a0101, 24).first());
            EXPECT_EQ(node.last, leading<A>(0x0a0101, 24).last());
            EXPECT_EQ(node.slot, 0x0a0101U);
            ++chunks;
        }
    });
    EXPECT_EQ(bitmaps, 25U);
    EXPECT_EQ(arrays, 25U);
    EXPECT_EQ(chunks, 1U);
}

} // namespace
} // namespace fingerpost::testing::of_sail_b
