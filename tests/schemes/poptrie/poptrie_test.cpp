// The nodes of a Poptrie bit by bit, the limits of their bits and codes, and their memory.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
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
// The bitmaps of the nodes on the way to an address.
template <class A, class F>
std::vector<std::vector<std::uint64_t>> bitmaps_on_way(const F& in, A a) {
    std::vector<std::vector<std::uint64_t>> all;
    in.trace(a, [&](const trace_step& step) {
        if (step.part == "nodes")
            all.emplace_back(step.values.begin(), step.values.end());
    });
    return all;
}
template <class A, class F>
void expect_answer(const F& in, A a, next_hop wanted) {
    EXPECT_EQ(in.lookup(a), wanted) << text_of(a);
    std::array<A, 41> many; // one block of the widest kernel, and a rest
    many.fill(a);
    std::array<next_hop, 41> out{};
    in.lookup(std::span<const A>(many), out);
    for (const next_hop got : out)
        EXPECT_EQ(got, wanted) << text_of(a) << " in a batch";
}

using twelve = address<12>;

// By hand, as the table of the paper's figure is not known here. 0/1 has next hop 1; of its slot 1, 000001,
// the first address has 3 and the others have 2.
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

// Where a node lies, what it holds and which slot leads to it.
TEST(Poptrie, ShowsWhatItsNodesHold) {
    const auto in = fib<twelve, 0>::build(small_table().to_routes());
    ASSERT_TRUE(in);
    std::vector<std::string> all;
    in->visit([&](const structure_node<twelve>& n) {
        node_contents held;
        n.contents(held);
        std::string text = std::to_string(n.slot) + " at " + std::to_string(n.offset);
        for (const std::uint64_t word : held.values)
            text += " " + std::to_string(word);
        for (const node_contents::answer& one : held.answers)
            text += " " + std::to_string(one.slot) + ":" +
                    (one.hop == next_hop::none ? "none" : std::to_string(one.hop.id));
        all.push_back(text);
    });
    const std::vector<std::string> wanted{"0 at 0 0:none", "0 at 0 2 4294967297", "0 at 0 0:1 1:none",
                                          "1 at 24 0 3", "0 at 4 0:3 1:2"};
    EXPECT_EQ(all, wanted);
}
TEST(Poptrie, CountsTheBitsThatLeadOn) {
    const auto in = fib<twelve, 0>::build(small_table().to_routes());
    ASSERT_TRUE(in);
    std::vector<bit_count> all;
    in->trace(twelve{65}, [&](const trace_step& step) { all.push_back(step.counted); });
    ASSERT_EQ(all.size(), 4U); // direct, two nodes, a leaf
    EXPECT_EQ(all[1].first_word, 0U);
    EXPECT_EQ(all[1].base + all[1].rank, 1U);
    EXPECT_EQ(all[1].unit, 24U);
    EXPECT_EQ(all[2].first_word, 1U);
    EXPECT_EQ(all[2].base, 2U);
    EXPECT_EQ(all[2].rank, 1U);
    EXPECT_EQ(all[2].unit, 2U);
    EXPECT_EQ(all[3].words, 0U);
}

// Slot 1 leads to a child and does not end the run of next hop 1; slots 32 to 63 have no route.
TEST(Poptrie, GoesOnWithARunAcrossASlotThatLeadsDown) {
    const auto in = fib<twelve, 0>::build(small_table().to_routes());
    ASSERT_TRUE(in);
    const std::vector<std::vector<std::uint64_t>> wanted{{0b10, 1 | std::uint64_t{1} << 32}, {0, 0b11}};
    EXPECT_EQ(bitmaps_on_way(*in, twelve{64}), wanted);
    expect_answer(*in, twelve{0}, {1});
    expect_answer(*in, twelve{64}, {3});
    expect_answer(*in, twelve{65}, {2});
    expect_answer(*in, twelve{128}, {1});
    expect_answer(*in, twelve{2048}, next_hop::none);
}

TEST(Poptrie, HasALeafForEachSlotWithoutLeafvec) {
    const auto in = without_runs<twelve, 0>::build(small_table().to_routes());
    ASSERT_TRUE(in);
    const std::vector<shown> wanted{
        {0, 4095, 0, "direct", 4, 1},
        {0, 4095, 1, "node", 16, 2},
        {0, 4095, 2, "leaves", 2 * 64, 0}, // 63, and one for the link of a free block
        {64, 127, 2, "node", 16, 1},
        {64, 127, 3, "leaves", 2 * 64, 0}};
    EXPECT_EQ(nodes_of<twelve>(*in), wanted);
    expect_answer(*in, twelve{65}, {2});
    expect_answer(*in, twelve{128}, {1});
}

// Counting through bit 63 shifts by nothing, where the published form relies on 2 << 63 being zero.
TEST(Poptrie, CountsThroughTheLastBit) {
    rib<twelve> all;
    ASSERT_TRUE(all.insert(leading<twelve>(0b111111, 6), {7}));
    ASSERT_TRUE(all.insert(leading<twelve>(0b111111111111, 12), {8}));
    ASSERT_TRUE(all.insert(leading<twelve>(0, 6), {5}));
    ASSERT_TRUE(all.insert(leading<twelve>(0, 12), {6}));
    const auto in = fib<twelve, 0>::build(all.to_routes());
    ASSERT_TRUE(in);
    const std::uint64_t top = std::uint64_t{1} << 63;
    const std::vector<std::vector<std::uint64_t>> wanted{{top | 1, 0b10}, {0, top | 1}};
    EXPECT_EQ(bitmaps_on_way(*in, twelve::last()), wanted);
    expect_answer(*in, twelve::last(), {8});
    expect_answer(*in, twelve{0xffe}, {7});
    expect_answer(*in, twelve{0}, {6});
    expect_answer(*in, twelve{1}, {5});
    expect_answer(*in, twelve{64}, next_hop::none);
}

// A node that would have one leaf is a leaf of its parent, after a build and after changes.
TEST(Poptrie, MakesANodeOfOneLeafALeafOfItsParent) {
    rib<twelve> all;
    ASSERT_TRUE(all.insert(leading<twelve>(1, 1), {1}));
    ASSERT_TRUE(all.insert(leading<twelve>(0xfff, 12), {1}));
    auto in = fib<twelve, 0>::build(all.to_routes());
    ASSERT_TRUE(in);
    const std::vector<shown> shallow{
        {0, 4095, 0, "direct", 4, 1}, {0, 4095, 1, "node", 24, 1}, {0, 4095, 2, "leaves", 4, 0}};
    EXPECT_EQ(nodes_of<twelve>(*in), shallow);
    const auto deeper = all.announce(leading<twelve>(0xfff, 12), {2});
    ASSERT_TRUE(deeper);
    ASSERT_EQ(in->apply(*deeper), errc::ok);
    EXPECT_EQ(nodes_of<twelve>(*in).size(), shallow.size() + 2);
    expect_answer(*in, twelve::last(), {2});
    const auto gone = all.withdraw(leading<twelve>(0xfff, 12));
    ASSERT_TRUE(gone);
    ASSERT_EQ(in->apply(*gone), errc::ok);
    EXPECT_EQ(nodes_of<twelve>(*in), shallow);
    const auto last = all.withdraw(leading<twelve>(1, 1));
    ASSERT_TRUE(last);
    ASSERT_EQ(in->apply(*last), errc::ok);
    const std::vector<shown> nothing{{0, 4095, 0, "direct", 4, 0}};
    EXPECT_EQ(nodes_of<twelve>(*in), nothing);
}

// 128 - 18 and 128 - 0 leave two bits for the last chunk, 128 - 16 four.
template <class F>
void expect_right_ends() {
    using A = ipv6_address;
    rib<A> all;
    const u128 low = u128{0x20010db8} << 96;
    for (const u128 base : {low, A::last().value - 15})
        for (unsigned length = 124; length <= 128; ++length)
            ASSERT_TRUE(all.insert(prefix<A>::make(A{base}, length), {length}));
    ASSERT_TRUE(all.insert(prefix<A>::make(A::last(), 128), {500}));
    ASSERT_TRUE(all.insert(prefix<A>::make(A{low + 13}, 128), {501}));
    for (const simd::isa isa : simd::available_isas()) {
        const auto in = F::build(all.to_routes(), {.isa = isa});
        ASSERT_TRUE(in);
        const std::array<std::uint32_t, 16> hops{128, 127, 126, 126, 125, 125, 125, 125,
                                                 124, 124, 124, 124, 124, 124, 124, 124};
        for (unsigned i = 0; i < 16; ++i) {
            expect_answer(*in, A{low + i}, {i == 13 ? 501 : hops[i]});
            expect_answer(*in, A{A::last().value - 15 + i}, {i == 15 ? 500 : hops[i]});
        }
        expect_answer(*in, A{low + 16}, next_hop::none);
        expect_answer(*in, A{low - 1}, next_hop::none);
        expect_answer(*in, A{A::last().value - 16}, next_hop::none);
    }
}
TEST(Poptrie, ReadsALastChunkThatIsShorter) {
    expect_right_ends<fib<ipv6_address, 18>>();
    expect_right_ends<fib<ipv6_address, 16>>();
    expect_right_ends<fib<ipv6_address, 0>>();
    expect_right_ends<without_runs<ipv6_address, 18>>();
}

// Host routes with ids from `first_id` on.
rib<ipv4_address> hosts(std::uint32_t count, std::uint32_t first_id) {
    rib<ipv4_address> all;
    for (std::uint32_t i = 0; i < count; ++i)
        EXPECT_TRUE(all.insert(leading<ipv4_address>(i * 3, 32), {first_id + i}));
    return all;
}

TEST(PoptrieLimits, APoptrieHasLeavesOfTwoBytesForSoManyNextHopsAndNoMore) {
    using A = ipv4_address;
    constexpr std::uint32_t most = 65534, first_id = 1u << 20;
    rib<A> all = hosts(most, first_id);
    auto in = fib<A, 16>::build(all.to_routes(), {}, 2);
    ASSERT_TRUE(in);
    expect_answer(*in, A{(most - 1) * 3}, {first_id + most - 1});
    const auto one_more = all.announce(leading<A>(1, 1), {5});
    ASSERT_TRUE(one_more);
    EXPECT_EQ(in->apply(*one_more), errc::capacity);
    const auto too_narrow = fib<A, 16>::build(all.to_routes(), {}, 2);
    ASSERT_FALSE(too_narrow);
    EXPECT_EQ(too_narrow.error(), errc::capacity);
    const auto anew = fib<A, 16>::build(all.to_routes());
    ASSERT_TRUE(anew) << "with leaves of four bytes";
    expect_answer(*anew, A::last(), {5});
    expect_answer(*anew, A{(most - 1) * 3}, {first_id + most - 1});
    expect_answer(*anew, A{1}, next_hop::none);
}

// Codes are then as large as the ids, and an entry of the direct table has 31 bits for one.
TEST(PoptrieLimits, APoptrieKeepsCodesThatItsDirectTableCannotHold) {
    using A = ipv4_address;
    constexpr std::uint32_t count = 65600, first_id = 0xfffffffe - count;
    rib<A> all = hosts(count, first_id);
    ASSERT_TRUE(all.insert(leading<A>(1, 1), {first_id}));
    for (const simd::isa isa : simd::available_isas()) {
        auto in = fib<A, 16>::build(all.to_routes(), {.isa = isa});
        ASSERT_TRUE(in);
        expect_answer(*in, A::last(), {first_id});
        expect_answer(*in, A{(count - 1) * 3}, {first_id + count - 1});
        rib<A> later = hosts(0, 0);
        ASSERT_TRUE(later.insert(leading<A>(1, 1), {first_id}));
        const auto other = later.announce(leading<A>(1, 1), {first_id + 1});
        ASSERT_TRUE(other);
        ASSERT_EQ(in->apply(*other), errc::ok);
        expect_answer(*in, A::last(), {first_id + 1});
        expect_answer(*in, A{0}, {first_id});
    }
}

template <class A>
void expect_memory_by_formula(std::uint32_t hops, std::size_t leaf_bytes) {
    random_numbers random(17);
    const auto in = fib<A, 16>::build(routes<A>(clustered_table<A>(random, 60000, hops)));
    ASSERT_TRUE(in);
    std::size_t nodes = 0, leaves = 0;
    in->visit([&](const structure_node<A>& n) {
        nodes += n.kind == "node" ? 1 : 0;
        leaves += n.kind == "leaves" ? n.bytes / leaf_bytes : 0;
    });
    ASSERT_GT(nodes, 1000u);
    const std::size_t formula = 24 * nodes + leaf_bytes * leaves + 4 * (std::size_t{1} << 16);
    EXPECT_GE(in->memory_bytes(), formula);
    EXPECT_LE(in->memory_bytes(), formula + formula / 50 + sizeof *in);
}
TEST(Poptrie, TakesTheMemoryOfTheFormula) {
    expect_memory_by_formula<ipv4_address>(100, 2);
    expect_memory_by_formula<ipv6_address>(100, 2);
}

} // namespace
} // namespace fingerpost::testing::of_poptrie
