// The trie of 24 and 8 bits: groups come and go, entries of both widths, and batches on every instruction
// set.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "fingerpost/schemes/trie_24_8/trie_24_8.hpp"
#include "tests/support/changed_fib.hpp"
#include "tests/support/limits.hpp"

namespace fingerpost::testing::of_trie_24_8 {
namespace {

using A = ipv6_address;
template <class Address>
using tested = trie_24_8::fib<Address>;

prefix<A> at(std::uint64_t first_half, std::uint64_t second_half, unsigned length) {
    return prefix<A>::make(from_halves<A>(first_half, second_half), length);
}
template <class Fib>
std::size_t groups_of(const Fib& fib) {
    std::size_t groups = 0;
    fib.visit([&](const structure_node<A>& n) { groups += n.kind == "chunk" ? 1 : 0; });
    return groups;
}

TEST(Trie, ChangesLeaveWhatABuildMakes) {
    expect_all_lengths_right<address<3>, tested>();
    expect_all_lengths_right<address<12>, tested>();
}

// A /48 takes three groups, a /128 thirteen; they go with it, and one that comes then takes them again.
TEST(Trie, UsesGroupsAgain) {
    rib<A> truth;
    ASSERT_TRUE(truth.insert(at(0, 0, 0), {7}));
    auto fib = tested<A>::build(truth.to_routes());
    ASSERT_TRUE(fib);
    EXPECT_EQ(groups_of(*fib), 0U);
    const auto tell = [&](const expected<change<A>>& told) {
        ASSERT_TRUE(told);
        ASSERT_EQ(fib->apply(*told), errc::ok);
        expect_right<A>(*fib, routes_of(truth));
    };
    tell(truth.announce(at(0x20010db800010000, 0, 48), {1}));
    EXPECT_EQ(groups_of(*fib), 3U);
    tell(truth.announce(at(0x20010db800010000, 1, 128), {2}));
    EXPECT_EQ(groups_of(*fib), 13U);
    const std::size_t bytes = fib->memory_bytes();
    for (std::uint64_t i = 0; i < 20; ++i) {
        tell(truth.withdraw(at(0x20010db800010000, 1 + i, 128)));
        EXPECT_EQ(groups_of(*fib), 3U);
        tell(truth.announce(at(0x20010db800010000, 2 + i, 128), {2}));
        EXPECT_EQ(groups_of(*fib), 13U);
    }
    EXPECT_LE(fib->memory_bytes(), bytes + 4096);
    tell(truth.withdraw(at(0x20010db800010000, 21, 128)));
    tell(truth.withdraw(at(0x20010db800010000, 0, 48)));
    EXPECT_EQ(groups_of(*fib), 0U);
    tell(truth.withdraw(at(0, 0, 0)));
    EXPECT_EQ(fib->lookup(A{5}), next_hop::none);
}

// Routes of every length from 0 to 128 in three places, with next hops from `first_hop` on.
std::vector<route<A>> routes_from(std::uint32_t first_hop, std::uint32_t step) {
    rib<A> all;
    std::uint32_t hop = first_hop;
    for (unsigned length = 0; length <= A::bits; ++length)
        for (const std::uint64_t where :
             {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{0x20010db85a5a5a5a}})
            if (all.get(at(where, where, length)) == next_hop::none) {
                EXPECT_TRUE(all.insert(at(where, where, length), {hop}));
                hop += step;
            }
    return routes_of(all);
}
void expect_batches_right(const std::vector<route<A>>& all, std::size_t entry_bytes) {
    const oracle::by_length<A> truth{std::span<const route<A>>(all)};
    const std::vector<A> in = oracle::probes<A>(std::span<const route<A>>(all));
    for (const simd::isa isa : simd::available_isas()) {
        const auto fib = tested<A>::build(routes<A>(all), {.isa = isa});
        ASSERT_TRUE(fib);
        ASSERT_EQ(fib->memory_parts().front().bytes, entry_bytes << 24);
        for (const std::size_t size : {1, 2, 15, 16, 17, 31, 63, 64, 65, 80, 143, 256, 1000}) {
            std::vector<next_hop> out(size + 1);
            for (std::size_t begin = 0; begin < in.size(); begin += size) {
                const std::size_t count = std::min(size, in.size() - begin);
                std::fill(out.begin(), out.end(), next_hop{0xdeadbeef});
                fib->lookup(std::span(in).subspan(begin, count), std::span(out).first(count));
                for (std::size_t i = 0; i < count; ++i)
                    ASSERT_EQ(out[i], truth.lookup(in[begin + i])) << simd::name_of(isa) << " " << size;
                ASSERT_EQ(out[count], next_hop{0xdeadbeef});
            }
        }
    }
}
TEST(Trie, BatchesInEntriesOfTwoBytes) {
    expect_batches_right(routes_from(0, 1), 2);
    expect_batches_right({}, 2);
}
TEST(Trie, BatchesInEntriesOfFourBytes) {
    expect_batches_right(routes_from(0x7ffe, 1), 4);
    expect_batches_right(routes_from(0xf0000000, 77), 4);
}

TEST(Trie, SaysThatItsCodesHaveEnded) {
    std::vector<route<A>> all;
    for (std::uint32_t i = 0; i < 9; ++i)
        all.push_back({at(std::uint64_t{i} << 56, 0, 8), {0xfffffff0 - i}});
    EXPECT_TRUE(tested<A>::build(routes<A>(all), {}, 10)) << "one is for no route";
    const auto refused = tested<A>::build(routes<A>(all), {}, 9);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), errc::capacity);
}

} // namespace
} // namespace fingerpost::testing::of_trie_24_8
