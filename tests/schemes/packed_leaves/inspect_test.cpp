// Inspection of packed leaves with tables that reach all parts; tests/property/inspection_test.cpp has the
// rest.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "fingerpost/rib/rib.hpp"
#include "tests/support/inspected.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_packed_leaves {
namespace {

// Next hops whose ids need a table even for codes of one byte.
template <class A>
table<A> with_distant_hops(table<A> from) {
    for (route<A>& r : from)
        r.hop.id = r.hop.id * 1'000'003 + 70'000;
    return from;
}

template <class A>
std::set<std::string> parts_that_lookups_read() {
    const scheme_entry<A>& scheme = *find_scheme<A>("packed_leaves");
    random_numbers random(A::bits);
    shown seen;
    for (unsigned round = 0; round < 10; ++round) {
        const table<A> all = with_distant_hops<A>(clustered_table<A>(random, round < 2 ? round : 500, 40));
        const auto built = scheme.build(routes<A>(all), {});
        EXPECT_TRUE(built);
        expect_truth<A>(scheme, **built, all, seen);
    }
    return seen.parts_read;
}
TEST(PackedLeavesInspect, LookupsReadAllParts) {
    std::set<std::string> parts{"index root codes", "index root", "index pages",
                                "index lines",      "regions",    "next hops"};
    EXPECT_EQ(parts_that_lookups_read<ipv4_address>(), parts);
    parts.insert(
        {"tier 1 cells", "tier 1 lines", "tier 2 cells", "tier 2 lines", "tier 3 cells", "tier 3 lines"});
    EXPECT_EQ(parts_that_lookups_read<ipv6_address>(), parts);
}

// Blocks of 16 bits with more intervals than a tree holds: cells of one table share trees, also across cells
// with an answer of their own. Then trees lose everything in their first cells, and fill up again.
template <class A>
void expect_dense_blocks_shown() {
    constexpr std::uint32_t blocks[] = {0x1400, 0x1401, 0x2001};
    random_numbers random(A::bits + 2);
    rib<A> truth;
    const scheme_entry<A>& scheme = *find_scheme<A>("packed_leaves");
    auto now = scheme.build(truth.to_routes(), {});
    const auto hop = [&] { return next_hop{static_cast<std::uint32_t>(random.below(50))}; };
    // Most routes are in one cell of 20 bits, which makes the block's table fine. Every fourth cell of 21
    // bits has at most one route.
    const auto some_prefix = [&] {
        const bool is_dense = random.below(5) < 3;
        const std::uint64_t inside = is_dense ? 0x9000 + random.below(1U << 12) : random.below(1U << 16);
        const bool is_whole = !is_dense && (inside >> 11) % 4 == 0;
        const unsigned length = is_dense ? 32 : is_whole ? 21 : static_cast<unsigned>(25 + random.below(6));
        return prefix<A>::make(leading<A>(blocks[random.below(3)] << 16 | inside, 32).base, length);
    };
    const auto change_to = [&](const prefix<A>& where, next_hop to) {
        const auto told = to == next_hop::none ? truth.withdraw(where) : truth.announce(where, to);
        ASSERT_TRUE(told);
        if ((*now)->apply(*told) != errc::ok)
            now = scheme.build(truth.to_routes(), {});
        ASSERT_TRUE(now);
    };
    const auto expect_now = [&] {
        shown seen;
        const routes<A> all = truth.to_routes();
        ASSERT_NO_FATAL_FAILURE(expect_truth<A>(scheme, **now, all.sorted(), seen));
        EXPECT_GE(seen.nodes_of_kind["table"], 3U);
        EXPECT_GE(seen.nodes_of_kind["answer"], 30U);
    };
    for (unsigned i = 0; i < 15'000; ++i)
        (void)truth.insert(some_prefix(), hop());
    now = scheme.build(truth.to_routes(), {});
    ASSERT_TRUE(now);
    ASSERT_NO_FATAL_FAILURE(expect_now());
    // Withdraw the first half of each block, and give its cells their own answers.
    std::vector<prefix<A>> leaving;
    for (const route<A>& r : truth)
        if (slice(r.where.base, 16, 1) == 0)
            leaving.push_back(r.where);
    for (const prefix<A>& where : leaving)
        ASSERT_NO_FATAL_FAILURE(change_to(where, next_hop::none));
    for (const std::uint32_t block : blocks)
        for (std::uint32_t cell = 0; cell < 16; ++cell)
            ASSERT_NO_FATAL_FAILURE(change_to(leading<A>(block << 5 | cell, 21), hop()));
    ASSERT_NO_FATAL_FAILURE(expect_now());
    // In a new FIB, trees start with leaves whose addresses these cells answer.
    now = scheme.build(truth.to_routes(), {});
    ASSERT_TRUE(now);
    ASSERT_NO_FATAL_FAILURE(expect_now());
    for (unsigned i = 0; i < 15'000; ++i)
        ASSERT_NO_FATAL_FAILURE(change_to(some_prefix(), hop()));
    ASSERT_NO_FATAL_FAILURE(expect_now());
}
TEST(PackedLeavesInspectDense, Ipv4) {
    expect_dense_blocks_shown<ipv4_address>();
}
TEST(PackedLeavesInspectDense, Ipv6) {
    expect_dense_blocks_shown<ipv6_address>();
}

// Enough routes for tables in both steps and for full trees, with codes of four bytes.
TEST(PackedLeavesInspect, LargeTreesWithWideAnswers) {
    using A = ipv4_address;
    const scheme_entry<A>& scheme = *find_scheme<A>("packed_leaves");
    table<A> many;
    for (std::uint32_t i = 0; i < 70'000; ++i)
        many.push_back({prefix<A>{A{0x14000000 + (i << 8)}, 24}, {i * 61'000}});
    many.push_back({prefix<A>{A{0xc0000000}, 16}, {0xfff00000}});
    const auto built = scheme.build(routes<A>(many), {});
    ASSERT_TRUE(built);
    shown seen;
    ASSERT_NO_FATAL_FAILURE(expect_truth<A>(scheme, **built, many, seen));
    EXPECT_GT(seen.nodes_of_kind["table"], 1U);
    // All lines except those of addresses that the index answers, two nodes and a leaf.
    std::size_t lines = 0;
    for (const memory_part& one : (*built)->memory_parts())
        if (one.name == "index lines")
            lines = one.bytes / 64;
    EXPECT_EQ(seen.nodes_of_kind["node"] + seen.nodes_of_kind["leaf"] + 3, lines);
}

} // namespace
} // namespace fingerpost::testing::of_packed_leaves
