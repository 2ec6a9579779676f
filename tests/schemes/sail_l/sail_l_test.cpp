// The chunks of SAIL_L: which exist, that they come and go, and the limits of codes and chunks.
#include <gtest/gtest.h>

#include <string_view>
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

// A RIB and a FIB that follows it by patches alone.
template <class A>
class followed {
  public:
    followed() : fib_(*sail_l::fib<A>::build(truth_.to_routes())) {}

    void announce(const prefix<A>& p, next_hop hop) {
        const auto told = truth_.announce(p, hop);
        ASSERT_TRUE(told);
        ASSERT_EQ(fib_.apply(*told), errc::ok);
        expect_right<A>(fib_, routes_of(truth_));
    }
    void withdraw(const prefix<A>& p) {
        const auto told = truth_.withdraw(p);
        ASSERT_TRUE(told);
        ASSERT_EQ(fib_.apply(*told), errc::ok);
        expect_right<A>(fib_, routes_of(truth_));
    }
    std::size_t chunks() const { return chunks_of<A>(fib_).size(); }
    const sail_l::fib<A>& fib() const { return fib_; }

  private:
    rib<A> truth_;
    sail_l::fib<A> fib_;
};

// By hand, as the table of the paper's figure is not known here. Lengths of exactly 16 and 24 end at a level
// and begin no chunk below it; chunk number 0 is one like the others, and slots with code 0 lead to none.
TEST(SailL, LengthsAtALevelBeginNoChunkBelowIt) {
    using A = ipv4_address;
    followed<A> table;
    EXPECT_EQ(table.fib().lookup(A{0}), next_hop::none);
    table.announce(leading<A>(0x0a01, 16), {0});
    EXPECT_EQ(table.chunks(), 0u);
    table.announce(leading<A>(0x000000, 24), {5}); // chunk 0, at address 0
    EXPECT_EQ(table.chunks(), 1u);
    EXPECT_EQ(table.fib().lookup(A{0x000000ff}), next_hop{5});
    EXPECT_EQ(table.fib().lookup(A{0x00000100}), next_hop::none);
    EXPECT_EQ(table.fib().lookup(A{0x00010000}), next_hop::none);
    EXPECT_EQ(table.fib().lookup(A{0x0a010000}), next_hop{0});
    table.announce(leading<A>(0x00000000, 32), {6});
    ASSERT_EQ(table.chunks(), 2u);
    const auto chunks = chunks_of<A>(table.fib());
    EXPECT_EQ(chunks[0].last.value, 0x0000ffffu);
    EXPECT_EQ(chunks[0].children, 1u);
    EXPECT_EQ(chunks[1].last.value, 0x000000ffu);
    EXPECT_EQ(chunks[1].level, 2u);
    table.withdraw(leading<A>(0x00000000, 32));
    EXPECT_EQ(table.chunks(), 1u);
    table.withdraw(leading<A>(0x000000, 24));
    EXPECT_EQ(table.chunks(), 0u);
}

// The /17 gives half of its chunk back to the /16, but not the parts of longer routes below it.
TEST(SailL, AWithdrawnRouteGivesBackOnlyWhatItDecided) {
    using A = ipv4_address;
    followed<A> table;
    table.announce(leading<A>(0x0a01, 16), {1});
    table.announce(leading<A>(0x0a010000 >> 15, 17), {2});
    table.announce(leading<A>(0x0a010203, 32), {3});
    table.announce(leading<A>(0x0a018100 >> 7, 25), {4});
    EXPECT_EQ(table.chunks(), 3u);
    table.withdraw(leading<A>(0x0a010000 >> 15, 17));
    EXPECT_EQ(table.chunks(), 3u);
    EXPECT_EQ(table.fib().lookup(A{0x0a010203}), next_hop{3});
    EXPECT_EQ(table.fib().lookup(A{0x0a010202}), next_hop{1});
    table.withdraw(leading<A>(0x0a010203, 32));
    table.withdraw(leading<A>(0x0a018100 >> 7, 25));
    EXPECT_EQ(table.chunks(), 0u);
}

// A route over a whole tree of chunks removes all of them when the changes are passed together.
TEST(SailL, AShortRouteReplacesATreeOfChunks) {
    using A = ipv6_address;
    rib<A> truth;
    const auto host = leading<A>((u128{0x20010db8} << 96) | 1, 128);
    ASSERT_TRUE(truth.insert(host, {1}));
    auto fib = sail_l::fib<A>::build(truth.to_routes());
    ASSERT_TRUE(fib);
    EXPECT_EQ(chunks_of<A>(*fib).size(), 14u);
    // The withdrawal of the host was coalesced with this change: its range is the whole /12.
    const auto wide = leading<A>(0x200, 12);
    const change<A> c{.where = wide, .after = {2}, .affected_ranges = {{wide.first(), wide.last()}}};
    ASSERT_EQ(fib->apply(c), errc::ok);
    EXPECT_EQ(chunks_of<A>(*fib).size(), 0u);
    EXPECT_EQ(fib->lookup(host.first()), next_hop{2});
}

// 4 bytes a slot, 256 slots a chunk, 256 KiB for the first 16 bits; the sheet has 1,280 bytes a chunk.
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
    for (std::uint32_t i = 0; i < 9; ++i) // so large that they cannot be codes themselves
        all.push_back({leading<A>(i, 4), {0xfffffff0 - i}});
    const auto fib = sail_l::fib<A>::build(routes<A>(all), {}, 10);
    ASSERT_TRUE(fib) << "one is for no route";
    expect_right<A>(*fib, all);
    EXPECT_THROW((void)sail_l::fib<A>::build(routes<A>(all), {}, 9), std::length_error);
}

// A next hop for which no code was left: a change reports it, a new build has room.
TEST(SailL, AChangeNeedsACode) {
    using A = ipv4_address;
    rib<A> truth;
    ASSERT_TRUE(truth.insert(leading<A>(1, 8), {1}));
    auto fib = sail_l::fib<A>::build(truth.to_routes());
    ASSERT_TRUE(fib);
    const auto large = truth.announce(leading<A>(2, 8), {0x80000000});
    ASSERT_TRUE(large);
    EXPECT_EQ(fib->apply(*large), errc::capacity);
    auto anew = sail_l::fib<A>::build(truth.to_routes());
    ASSERT_TRUE(anew);
    expect_right<A>(*anew, routes_of(truth));
    const auto another = truth.announce(leading<A>(3, 8), {0x90000000});
    ASSERT_TRUE(another);
    EXPECT_EQ(anew->apply(*another), errc::ok) << "codes are numbers of a list, which grows";
    expect_right<A>(*anew, routes_of(truth));
}

} // namespace
} // namespace fingerpost::testing::of_sail_l
