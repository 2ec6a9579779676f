// The paper's promises for SAIL_U: a change writes one word of the bitmaps, and the nodes are four bitmaps,
// four arrays and the chunks.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fingerpost/schemes/sail_u/sail_u.hpp"
#include "tests/support/limits.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_sail_u {
namespace {

TEST(SailU, AChangeWritesOneWordOfTheBitmap) {
    using A = address<24>; // levels 18, 12 and 6
    random_numbers random(6);
    rib<A> truth;
    ASSERT_TRUE(truth.assign(clustered_table<A>(random, 300, 9)));
    auto fib = sail_u::fib<A>::build(truth.to_routes());
    ASSERT_TRUE(fib);
    clustered_prefixes<A> prefixes(random);
    std::vector<prefix<A>> known;
    std::size_t written = 0;
    for (unsigned round = 0; round < 2000; ++round) {
        const bool leaves = !known.empty() && random.below(2) == 0;
        if (!leaves)
            known.push_back(prefixes.next());
        const prefix<A> where = leaves ? known[random.below(known.size())] : known.back();
        const auto told = leaves ? truth.withdraw(where)
                                 : truth.announce(where, {static_cast<std::uint32_t>(random.below(9))});
        if (!told)
            continue;
        const std::vector<std::uint64_t> before(fib->bitmap().begin(), fib->bitmap().end());
        ASSERT_EQ(fib->apply(*told), errc::ok);
        std::size_t words = 0;
        for (std::size_t i = 0; i < before.size(); ++i)
            words += before[i] != fib->bitmap()[i] ? 1 : 0;
        ASSERT_LE(words, 1U);
        written += words;
    }
    EXPECT_GE(written, 300U);
}

// Handmade, because the table of the paper's figure is not known.
TEST(SailU, ShowsTheNodesOfASmallTable) {
    using A = ipv4_address;
    const table<A> all = sorted<A>(
        {{leading<A>(10, 8), {1}}, {leading<A>(0x0a0101, 24), {2}}, {leading<A>(0x0a010180, 32), {3}}});
    const auto fib = sail_u::fib<A>::build(routes<A>(all));
    ASSERT_TRUE(fib);
    std::vector<std::string> nodes;
    fib->visit([&](const structure_node<A>& node) {
        nodes.push_back(std::to_string(node.level) + " " + std::string(node.kind) + " " +
                        std::to_string(node.bytes) + " " + std::to_string(node.children));
    });
    const std::vector<std::string> right{"0 bitmap 2097152 0", "0 array 67108864 1", "1 chunk 1036 0",
                                         "0 bitmap 32768 0",   "0 array 1048576 0",  "0 bitmap 512 0",
                                         "0 array 16384 0",    "0 bitmap 8 0",       "0 array 256 0"};
    EXPECT_EQ(nodes, right);
}

TEST(SailU, ProbesAtMostFourBitmaps) {
    using A = ipv4_address;
    const table<A> all = sorted<A>({{leading<A>(2, 3), {1}}});
    const auto fib = sail_u::fib<A>::build(routes<A>(all));
    ASSERT_TRUE(fib);
    const auto steps_of = [&](A a) {
        unsigned steps = 0;
        fib->trace(a, [&](const trace_step&) { ++steps; });
        return steps;
    };
    EXPECT_EQ(steps_of(A{0x40000000}), 5U) << "four probes and the entry";
    EXPECT_EQ(steps_of(A{0x80000000}), 4U) << "four probes, and no route";
}

} // namespace
} // namespace fingerpost::testing::of_sail_u
