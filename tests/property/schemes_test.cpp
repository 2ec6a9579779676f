// Random clustered tables of every size, for every scheme and ISA. A failing table is shrunk and printed.
//
// Each round has its own seed, which is printed when the round fails. FINGERPOST_SEED=<seed> runs that round
// alone, and FINGERPOST_ROUNDS=<n> sets the number of rounds.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "tests/support/suite.hpp"

namespace fingerpost::testing::of_schemes {
namespace {

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
    const char* text = std::getenv(variable);
    return text != nullptr ? std::strtoull(text, nullptr, 0) : otherwise;
}

// Runs `round` with consecutive seeds, starting at `first`.
template <class F>
void rounds(std::uint64_t first, std::size_t usual, F round) {
    const std::uint64_t only = number_from("FINGERPOST_SEED", 0);
    const std::uint64_t count = only != 0 ? 1 : number_from("FINGERPOST_ROUNDS", scaled(usual));
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t seed = only != 0 ? only : first + i;
        SCOPED_TRACE("FINGERPOST_SEED=" + std::to_string(seed));
        random_numbers random(seed);
        round(random);
        if (::testing::Test::HasFatalFailure())
            return;
    }
}

// Returns a size up to `most`. Small sizes are more likely: small tables find faults too, and more of them
// can be tried.
std::size_t some_size(random_numbers& random, std::size_t most) {
    const std::size_t cap = std::max<std::size_t>(2, most >> random.below(12));
    return random.below(cap);
}
// The number of next hops: one, a few, as many as fit into two bytes, or about one per route.
std::uint32_t some_hops(random_numbers& random) {
    constexpr std::array<std::uint32_t, 6> choices{1, 2, 5, 300, 70'000, 0xffffffffU};
    return choices[random.below(choices.size())];
}

template <class A>
class clustered : public over_schemes<A> {};
using widths = ::testing::Types<address<7>, address<12>, address<32>, address<128>>;
TYPED_TEST_SUITE(clustered, widths);

TYPED_TEST(clustered, tables_of_random_size) {
    using A = TypeParam;
    tally done;
    const std::size_t usual = A::bits <= 12 ? 400 : A::bits == 32 ? 60 : 200;
    rounds(1000 * A::bits, usual, [&](random_numbers& random) {
        const std::size_t size = some_size(random, A::bits <= 12 ? std::size_t{2} << A::bits : 20'000);
        const std::uint32_t hops = some_hops(random);
        ASSERT_TRUE(agree<A>(clustered_table<A>(random, size, hops), done));
    });
    if (std::getenv("FINGERPOST_SEED") == nullptr)
        done.report(scaled(usual), scaled(usual) * 100);
}

// Puts boundaries at every depth of a key: clusters below a long prefix that moves down bit by bit.
template <class A>
class below_one_prefix : public over_schemes<A> {};
using wide = ::testing::Types<address<32>, address<128>>;
TYPED_TEST_SUITE(below_one_prefix, wide);

TYPED_TEST(below_one_prefix, clusters_at_every_depth) {
    using A = TypeParam;
    using value = typename A::value_type;
    tally done;
    for (unsigned depth = 0; depth < A::bits; ++depth)
        rounds(2000 + depth, 1, [&](random_numbers& random) {
            const auto home = prefix<A>::make(random.below(4) == 0 ? A::last() : random.address<A>(), depth);
            const bool covered = random.below(2) == 0;
            table<A> routes;
            if (covered)
                routes.push_back({home, {3}});
            for (const route<A>& r : clustered_table<A>(random, 60, 4)) {
                const unsigned length = std::min<unsigned>(depth + r.where.length, A::bits);
                const value inside = shift_right(r.where.base.value, depth);
                routes.push_back({prefix<A>::make(A{home.base.value | inside}, length), r.hop});
            }
            ASSERT_TRUE(agree<A>(sorted(std::move(routes)), done)) << "below a prefix of length " << depth;
        });
    if (std::getenv("FINGERPOST_SEED") == nullptr)
        done.report(A::bits, A::bits * 100);
}

TEST(shrinking, leaves_only_what_fails) {
    random_numbers random(5);
    const auto full = clustered_table<ipv4_address>(random, 500, 50);
    const route<ipv4_address> first = full[123], second = full[321];
    const auto fails = [&](const table<ipv4_address>& routes) {
        return std::count(routes.begin(), routes.end(), first) > 0 &&
               std::count(routes.begin(), routes.end(), second) > 0;
    };
    EXPECT_EQ(shrink<ipv4_address>(full, fails), (table<ipv4_address>{first, second}));
}

} // namespace
} // namespace fingerpost::testing::of_schemes
