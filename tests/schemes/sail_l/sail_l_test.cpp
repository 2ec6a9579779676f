// The chunks of SAIL_L: which ones exist, and the limit of codes.
#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "fingerpost/schemes/sail_l/sail_l.hpp"
#include "tests/support/limits.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_sail_l {
namespace {

template <class A, class Fib>
std::vector<structure_node<A>> chunks_of(const Fib& fib) {
    std::vector<structure_node<A>> chunks;
    fib.visit([&](const structure_node<A>& node) {
        if (node.kind == "chunk")
            chunks.push_back(node);
    });
    return chunks;
}

// Handmade, because the table of the paper's figure is not known. Routes of exactly 16 and 24 bits end at a
// level and do not create a chunk below it.
TEST(SailL, LengthsAtALevelBeginNoChunkBelowIt) {
    using A = ipv4_address;
    const auto chunks_with = [](std::initializer_list<route<A>> all) {
        return chunks_of<A>(*sail_l::fib<A>::build(routes<A>(sorted<A>(all))));
    };
    const route<A> at_16{leading<A>(0x0a01, 16), {0}}, at_24{leading<A>(0, 24), {5}};
    EXPECT_EQ(chunks_with({at_16}).size(), 0u);
    EXPECT_EQ(chunks_with({at_16, at_24}).size(), 1u);
    const auto chunks = chunks_with({at_16, at_24, {leading<A>(0, 32), {6}}});
    ASSERT_EQ(chunks.size(), 2u);
    EXPECT_EQ(chunks[0].last.value, 0x0000ffffu);
    EXPECT_EQ(chunks[0].children, 1u);
    EXPECT_EQ(chunks[1].last.value, 0x000000ffu);
    EXPECT_EQ(chunks[1].level, 2u);
}

// When the changes are passed together, a route that covers a whole tree of chunks removes all of them.
TEST(SailL, AShortRouteReplacesATreeOfChunks) {
    using A = ipv6_address;
    rib<A> truth;
    const auto host = leading<A>((u128{0x20010db8} << 96) | 1, 128);
    ASSERT_TRUE(truth.insert(host, {1}));
    auto fib = sail_l::fib<A>::build(truth.to_routes());
    ASSERT_TRUE(fib);
    EXPECT_EQ(chunks_of<A>(*fib).size(), 14u);
    // The withdrawal of the host was coalesced with this change, so its range is the whole /12.
    const auto wide = leading<A>(0x200, 12);
    const change<A> c{.where = wide, .after = {2}, .affected_ranges = {{wide.first(), wide.last()}}};
    ASSERT_EQ(fib->apply(c), errc::ok);
    EXPECT_EQ(chunks_of<A>(*fib).size(), 0u);
    EXPECT_EQ(fib->lookup(host.first()), next_hop{2});
}

// 4 bytes per slot, 256 slots per chunk, and 256 KiB for the first 16 bits. The page has 1,280 bytes per
// chunk.
TEST(SailL, MemoryIsTheFormula) {
    using A = ipv6_address;
    random_numbers random(5);
    const routes<A> all(clustered_table<A>(random, 400, 200));
    const auto fib = sail_l::fib<A>::build(all);
    ASSERT_TRUE(fib);
    const std::size_t chunks = chunks_of<A>(*fib).size();
    ASSERT_GT(chunks, 200u);
    EXPECT_EQ(fib->memory_bytes(), 65536 * 4 + chunks * (1024 + 4) + sizeof *fib);
    EXPECT_LE(fib->memory_bytes(), 65536 * 5 + chunks * 1280);
}

TEST(SailL, ItSaysThatItsCodesHaveEnded) {
    using A = address<12>;
    std::vector<route<A>> all;
    for (std::uint32_t i = 0; i < 9; ++i) // ids too large to be codes themselves
        all.push_back({leading<A>(i, 4), {0xfffffff0 - i}});
    expect_least<sail_l::fib<A>>(all, 10); // one code is for no route
}

} // namespace
} // namespace fingerpost::testing::of_sail_l
