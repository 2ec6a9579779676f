// The levels of SAIL's bitmaps, and the chunks and routes that they hide.
#include <gtest/gtest.h>

#include <vector>

#include "fingerpost/fib/parts/lengths/length_bitmaps.hpp"
#include "tests/support/limits.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_length_bitmaps {
namespace {

template <class F>
class LengthBitmaps : public ::testing::Test {};
using steps = ::testing::Types<length_bitmaps<address<12>, 1>, length_bitmaps<address<12>, 6>,
                               length_bitmaps<address<20>, 1>, length_bitmaps<address<20>, 6>>;
TYPED_TEST_SUITE(LengthBitmaps, steps);

template <class F>
struct width_of;
template <class A, unsigned Step>
struct width_of<length_bitmaps<A, Step>> {
    using type = A;
    using levels = length_levels<A, Step>;
};

TEST(LengthLevels, AreThoseOfThePaper) {
    using every_length = length_levels<ipv4_address, 1>;
    using every_sixth = length_levels<ipv4_address, 6>;
    EXPECT_EQ(every_length::count, 25U);
    EXPECT_EQ(every_length::slots, (std::size_t{1} << 25) - 1);
    EXPECT_EQ(every_sixth::lengths, (std::array<unsigned, 4>{24, 18, 12, 6}));
    EXPECT_EQ(every_sixth::slots / 8, 2'130'440U) << "2.03 MiB of bitmaps";
    EXPECT_EQ(every_sixth::level_of(24), 0U);
    EXPECT_EQ(every_sixth::level_of(19), 0U);
    EXPECT_EQ(every_sixth::level_of(18), 1U);
    EXPECT_EQ(every_sixth::level_of(7), 2U);
    EXPECT_EQ(every_sixth::level_of(6), 3U);
    EXPECT_EQ(every_sixth::level_of(0), 3U);
}

// The run of bits to which a prefix is expanded is within one word, for any prefix.
TYPED_TEST(LengthBitmaps, PushARouteToOneWord) {
    using A = typename width_of<TypeParam>::type;
    using levels = typename width_of<TypeParam>::levels;
    std::size_t runs = 0;
    for (unsigned length = 0; length <= levels::pivot; ++length)
        for (std::uint32_t bits = 0; bits < 1u << length; ++bits) {
            const auto run = levels::run_of(leading<A>(bits, length));
            ASSERT_LE(run.count, 64U);
            ASSERT_EQ(run.first / 64, (run.first + run.count - 1) / 64);
            ASSERT_LE(run.first + run.count, levels::slots);
            ++runs;
        }
    EXPECT_EQ(runs, (std::size_t{2} << levels::pivot) - 1);
}

template <class F, class A>
struct followed {
    explicit followed(const table<A>& begun) {
        EXPECT_TRUE(truth.assign(begun));
        auto built = F::build(truth.to_routes());
        EXPECT_TRUE(built);
        fib.emplace(std::move(*built));
    }
    void announce(const prefix<A>& where, std::uint32_t hop) { tell(truth.announce(where, {hop})); }
    void withdraw(const prefix<A>& where) { tell(truth.withdraw(where)); }
    void tell(const expected<change<A>>& told) {
        ASSERT_TRUE(told);
        ASSERT_EQ(fib->apply(*told), errc::ok);
        expect_right<A>(*fib, routes_of(truth));
    }
    std::size_t chunks() const {
        std::size_t found = 0;
        fib->visit([&](const structure_node<A>& node) { found += node.kind == "chunk" ? 1 : 0; });
        return found;
    }

    rib<A> truth;
    std::optional<F> fib;
};

TYPED_TEST(LengthBitmaps, AChunkHidesTheRouteOfItsCellAndGivesItBack) {
    using A = typename width_of<TypeParam>::type;
    constexpr unsigned pivot = width_of<TypeParam>::levels::pivot;
    followed<TypeParam, A> one({});
    const auto cell = leading<A>(0, pivot); // the first chunk of the first cell: every number is 0
    const auto long_one = leading<A>(1, pivot + 1), last = leading<A>(3, pivot + 2);
    one.announce(cell, 5);
    one.announce(long_one, 6);
    EXPECT_EQ(one.chunks(), 1U);
    one.announce(last, 7);
    one.announce(cell, 8); // hidden, and the answer of the chunk
    one.withdraw(long_one);
    EXPECT_EQ(one.chunks(), 1U) << "one longer route is left";
    one.withdraw(cell);
    one.announce(leading<A>(0, 0), 0);
    one.withdraw(last);
    EXPECT_EQ(one.chunks(), 0U);
    one.withdraw(leading<A>(0, 0));
    EXPECT_EQ(one.fib->lookup(A::first()), next_hop::none);
    for (const std::uint64_t word : one.fib->bitmap())
        ASSERT_EQ(word, 0U);
}

// Routes that longer ones hide: when announced they affect no address, and when the longer ones are withdrawn
// they become the answer.
TYPED_TEST(LengthBitmaps, ARouteThatOthersHideIsThereWhenTheyGo) {
    using A = typename width_of<TypeParam>::type;
    constexpr unsigned pivot = width_of<TypeParam>::levels::pivot;
    followed<TypeParam, A> one({});
    one.announce(leading<A>(2, 3), 1);
    one.announce(leading<A>(5, 4), 2);
    one.announce(leading<A>(4, 4), 3);
    one.announce(leading<A>(1, 2), 4);
    one.withdraw(leading<A>(5, 4));
    one.withdraw(leading<A>(4, 4));
    one.withdraw(leading<A>(2, 3));
    one.announce(leading<A>(2, pivot + 1), 9);
    one.announce(leading<A>(3, pivot + 1), 9);
    one.announce(leading<A>(1, pivot), 11);
    one.announce(leading<A>(0, pivot - 1), 12);
    one.withdraw(leading<A>(2, pivot + 1));
    one.withdraw(leading<A>(3, pivot + 1));
    one.withdraw(leading<A>(1, pivot));
}

TYPED_TEST(LengthBitmaps, MemoryIsThatOfTheFormula) {
    using A = typename width_of<TypeParam>::type;
    using levels = typename width_of<TypeParam>::levels;
    random_numbers random(2);
    for (const std::size_t size : {0U, 3U, 300U}) {
        const followed<TypeParam, A> one(clustered_table<A>(random, size, 40));
        const std::size_t words = (levels::slots + 63) / 64;
        const std::size_t chunk = 12 + 4 * (std::size_t{1} << levels::rest);
        EXPECT_EQ(one.fib->memory_bytes(),
                  words * 8 + (levels::slots + 1) * 4 + one.chunks() * chunk + sizeof *one.fib);
    }
}

// Ids are stored as 28-bit codes, or are numbered when the table is built.
TYPED_TEST(LengthBitmaps, ANextHopThatDoesNotFitAsksForANewTable) {
    using A = typename width_of<TypeParam>::type;
    followed<TypeParam, A> one({{leading<A>(1, 2), {3}}});
    const auto told = one.truth.announce(leading<A>(2, 2), {0x0fffffff});
    ASSERT_TRUE(told);
    EXPECT_EQ(one.fib->apply(*told), errc::capacity);
    const followed<TypeParam, A> anew(routes_of(one.truth));
    expect_right<A>(*anew.fib, routes_of(one.truth));
}

} // namespace
} // namespace fingerpost::testing::of_length_bitmaps
