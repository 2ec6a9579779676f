// Hash tables by length: routes that were chosen to collide do not.
#include <gtest/gtest.h>

#include "fingerpost/schemes/hash_by_length/hash_by_length.hpp"
#include "tests/support/collisions.hpp"
#include "tests/support/tables.hpp"

namespace fingerpost::testing {
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

} // namespace
} // namespace fingerpost::testing
