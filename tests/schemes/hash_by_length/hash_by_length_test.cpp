// Hash tables by length: routes chosen to collide do not collide.
#include <gtest/gtest.h>

#include "fingerpost/schemes/hash_by_length/hash_by_length.hpp"
#include "tests/support/tables/collisions.hpp"
#include "tests/support/tables/tables.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_hash_by_length {
namespace {

TEST(hash_by_length, has_short_searches_but_for_who_knows_its_key) {
    using A = ipv6_address;
    constexpr std::size_t count = 3'000;
    table<A> all;
    for (const A cell : cells_for(hash_key(known_seed), 48, count))
        all.push_back({prefix<A>::make(cell, 48), {static_cast<std::uint32_t>(all.size())}});
    const routes<A> some(sorted(std::move(all)));
    build_options options;
    options.hash_seed = known_seed;
    const auto known = hash_by_length::fib<A>::build(some, options);
    const auto random = hash_by_length::fib<A>::build(some);
    ASSERT_TRUE(known && random);
    EXPECT_GT(known->longest_search(), count / 2);
    EXPECT_LT(random->longest_search(), 200u);
    for (const route<A>& r : some.sorted()) {
        ASSERT_EQ(known->lookup(r.where.base), r.hop);
        ASSERT_EQ(random->lookup(r.where.base), r.hop);
    }
}

// The cells of 32 bits are hashed as well.
TEST(hash_by_length, has_short_searches_among_cells_but_for_who_knows_its_key) {
    using A = ipv6_address;
    constexpr std::size_t count = 1'000;
    table<A> all;
    for (const std::uint32_t cell : colliding(hash_key(known_seed), 1 << 12, count, [](std::uint64_t i) {
             return static_cast<std::uint32_t>(0x2000'0000 + i);
         }))
        all.push_back({prefix<A>::make(A{u128{cell} << 96}, 32), {7}});
    const routes<A> some(sorted(std::move(all)));
    build_options options;
    options.hash_seed = known_seed;
    const auto known = hash_by_length::fib<A>::build(some, options);
    const auto random = hash_by_length::fib<A>::build(some);
    ASSERT_TRUE(known && random);
    EXPECT_GT(known->longest_search(), count / 2);
    EXPECT_LT(random->longest_search(), 200u);
}

template <class A>
class lengths : public ::testing::Test {};
using widths = ::testing::Types<address<12>, ipv4_address, ipv6_address>;
TYPED_TEST_SUITE(lengths, widths);

// Every length of a route that covers the address is in the address's set, and the set is empty after all
// routes were withdrawn.
TYPED_TEST(lengths, around_an_address_are_those_of_its_covers_and_none_in_the_end) {
    using A = TypeParam;
    const hash_key secret(3);
    random_numbers random(11);
    table<A> all = clustered_table<A>(random, 500, 3);
    std::erase_if(all, [](const route<A>& r) { return r.where.length == 0; });
    hash_by_length::lengths_around<A> made;
    ASSERT_EQ(made.prepare(all), errc::ok);
    for (const route<A>& r : all)
        ASSERT_EQ(made.add(secret, r.where), errc::ok);
    std::size_t covers = 0;
    const auto expect_covers = [&](std::size_t left) {
        for (std::size_t i = 0; i < left; i += 7)
            for (std::size_t k = 0; k < left; ++k)
                if (const A a = all[i].where.last(); all[k].where.contains(a)) {
                    using set = typename hash_by_length::lengths_around<A>::set;
                    const set found = made.around(plain_reads{}, secret, a);
                    ASSERT_NE(found & hash_by_length::only<set>(all[k].where.length), set{0});
                    ++covers;
                }
    };
    for (std::size_t left = all.size(); left > 0; --left) {
        if (left % 100 == 0)
            expect_covers(left);
        const prefix<A> gone = all[left - 1].where;
        const auto is_route = [&](const prefix<A>& p) {
            return std::any_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(left - 1),
                               [&](const route<A>& r) { return r.where == p; });
        };
        made.remove(secret, gone, is_route);
    }
    EXPECT_GT(covers, 10u);
    for (const route<A>& r : all)
        EXPECT_TRUE(made.around(plain_reads{}, secret, r.where.base) == 0);
}

} // namespace
} // namespace fingerpost::testing::of_hash_by_length
