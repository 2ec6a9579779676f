// Buckets that grow, become linear and shrink, and attacks with a known hash key.
#include <gtest/gtest.h>

#include <vector>

#include "fingerpost/schemes/bihash_by_length/bihash_by_length.hpp"
#include "tests/support/limits.hpp"
#include "tests/support/tables/collisions.hpp"

namespace fingerpost::testing::of_bihash_by_length {
namespace {

template <class A>
using tested = bihash_by_length::fib<A>;

// 48-bit prefixes whose hashes, including the length, start with this many zeros under the known key.
std::vector<ipv6_address> colliding_48(unsigned zeros, std::size_t count) {
    const hash_key key(known_seed);
    std::vector<ipv6_address> found;
    for (std::uint64_t i = 0; found.size() < count; ++i) {
        const u128 number = static_cast<u128>(0x2000'0000'0000 + i) << 80;
        if (key.hash(number, 48) >> (32 - zeros) == 0)
            found.push_back({number});
    }
    return found;
}
routes<ipv6_address> table_of(const std::vector<ipv6_address>& cells) {
    table<ipv6_address> all;
    for (const ipv6_address cell : cells)
        all.push_back({prefix<ipv6_address>::make(cell, 48), {static_cast<std::uint32_t>(all.size())}});
    return routes<ipv6_address>(sorted(std::move(all)));
}
void expect_found(const tested<ipv6_address>& fib, const routes<ipv6_address>& all) {
    for (const route<ipv6_address>& r : all.sorted())
        ASSERT_EQ(fib.lookup(r.where.base), r.hop);
}

// 20 routes have 16 buckets. Hashes with 14 leading zeros all fall into the first bucket, and into one page
// of it while it has up to 64 pages.
TEST(Bihash, ABucketThatCannotBeDividedBecomesLinear) {
    const auto cells = colliding_48(14, 20);
    const auto all = table_of(cells);
    build_options options;
    options.hash_seed = known_seed;
    auto known = tested<ipv6_address>::build(all, options);
    const auto random = tested<ipv6_address>::build(all);
    ASSERT_TRUE(known && random);
    EXPECT_EQ(known->linear_buckets(), 1U);
    EXPECT_EQ(random->linear_buckets(), 0U);
    expect_found(*known, all);
    expect_found(*random, all);
    // The bucket is divided again when few entries remain.
    rib<ipv6_address> truth;
    for (const route<ipv6_address>& r : all.sorted())
        ASSERT_TRUE(truth.insert(r.where, r.hop));
    for (std::size_t i = 0; i < 17; ++i) {
        const auto told = truth.withdraw(prefix<ipv6_address>::make(cells[i], 48));
        ASSERT_TRUE(told);
        ASSERT_EQ(known->apply(*told), errc::ok);
        expect_found(*known, truth.to_routes());
    }
    EXPECT_EQ(known->linear_buckets(), 0U);
}

// 64 pages hold 256 entries. One more is refused, without an endless search for room.
TEST(Bihash, SaysThatABucketIsTooLarge) {
    const auto all = table_of(colliding_48(14, 257));
    build_options options;
    options.hash_seed = known_seed;
    const auto known = tested<ipv6_address>::build(all, options);
    ASSERT_FALSE(known);
    EXPECT_EQ(known.error(), errc::capacity);
    // With another key they do not collide. With one in 150 keys a bucket becomes linear by chance.
    options.hash_seed = known_seed + 1;
    const auto other = tested<ipv6_address>::build(all, options);
    ASSERT_TRUE(other);
    EXPECT_EQ(other->linear_buckets(), 0U);
    expect_found(*other, all);
}

} // namespace
} // namespace fingerpost::testing::of_bihash_by_length
