// Binary search on lengths: trees of lengths, the bound on probes, and the best matches of markers.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "fingerpost/schemes/binary_search_on_lengths/binary_search_on_lengths.hpp"
#include "tests/support/suite.hpp"

namespace fingerpost::testing::of_binary_search_on_lengths {
namespace {

using binary_search_on_lengths::fib;
using binary_search_on_lengths::tree_kind;

template <class A>
std::vector<route<A>> one_of_each_length(A base) {
    std::vector<route<A>> all;
    for (unsigned length = 0; length <= A::bits; ++length)
        all.push_back({prefix<A>::make(base, length), {length}});
    return all;
}
template <class F, class A>
std::size_t most_probes(const F& built, const std::vector<A>& addresses) {
    std::size_t most = 0;
    for (const A a : addresses) {
        // A probe that wraps around the end of the table takes two steps.
        std::size_t probes = 0;
        unsigned length = 0;
        built.trace(a, [&](const trace_step& step) {
            probes += step.bits == length ? 0U : 1U;
            length = step.bits;
        });
        most = std::max(most, probes);
    }
    return most;
}

TEST(length_tree, balanced_has_the_fewest_levels) {
    using A = ipv6_address;
    for (unsigned count = 1; count <= 128; ++count) {
        std::vector<std::uint8_t> lengths;
        for (unsigned i = 0; i < count; ++i)
            lengths.push_back(static_cast<std::uint8_t>(i + 1));
        const auto tree = balanced_tree<A>(lengths);
        const auto depths = tree.depths();
        EXPECT_EQ(*std::max_element(depths.begin(), depths.end()),
                  static_cast<unsigned>(std::bit_width(count)));
    }
}

TEST(length_tree, weighted_costs_no_more_than_any_other) {
    using A = address<7>;
    random_numbers random(3);
    const std::vector<std::uint8_t> lengths{1, 2, 3, 5, 6, 7};
    for (unsigned round = 0; round < 50; ++round) {
        length_counts<A> counts(A::bits + 1);
        for (const std::uint8_t length : lengths)
            counts[length] = 1 + random.below(random.below(2) == 0 ? 5 : 500);
        const auto cost_of = [&](const length_tree<A>& tree) {
            std::size_t sum = 0;
            const auto depths = tree.depths();
            for (std::size_t i = 0; i < lengths.size(); ++i)
                sum += counts[lengths[i]] * depths[i];
            return sum;
        };
        const std::size_t least = cost_of(weighted_tree<A>(lengths, counts));
        for (unsigned other = 0; other < 300; ++other) {
            const auto tree = length_tree<A>::make(
                lengths, [&](std::size_t i, std::size_t j) { return i + random.below(j - i + 1); });
            ASSERT_LE(least, cost_of(tree));
        }
    }
}

// With every length in use: 6 probes for IPv4 and 8 for IPv6.
TEST(binary_search_on_lengths, needs_as_many_probes_as_the_tree_has_levels) {
    const auto narrow = one_of_each_length(ipv4_address{0xffffffff});
    const auto built = fib<ipv4_address>::build(routes<ipv4_address>(narrow));
    ASSERT_TRUE(built);
    EXPECT_EQ(most_probes(*built, addresses_to_try<ipv4_address>(narrow)), 6U);

    const auto wide = one_of_each_length(ipv6_address{});
    const auto longer = fib<ipv6_address>::build(routes<ipv6_address>(wide));
    ASSERT_TRUE(longer);
    EXPECT_EQ(most_probes(*longer, addresses_to_try<ipv6_address>(wide)), 8U);
}

// A marker that is a route keeps its own next hop. Any other marker has the best match among lengths up to
// its own.
TEST(binary_search_on_lengths, markers_have_the_best_match_of_their_own_bits) {
    using A = address<12>;
    const auto make = [](std::uint32_t bits, unsigned length, std::uint32_t hop) {
        return route<A>{prefix<A>::make(A{bits}, length), {hop}};
    };
    // Lengths 2, 4, 6, 8: the root is 6 and its right child is 8.
    const auto all = sorted<A>({make(0x000, 2, 1), make(0x400, 4, 2), make(0x040, 6, 3), make(0x060, 8, 4),
                                make(0x410, 8, 5), make(0x050, 8, 6)});
    const auto built = fib<A>::build(routes<A>(all));
    ASSERT_TRUE(built);
    std::size_t markers = 0;
    built->store().for_each([&](const prefix<A>& where, std::uint64_t word) {
        const std::uint32_t code = length_search::answer::code(length_search::entry_word::answer_of(word));
        const next_hop best = built->store().codec.decode(code - 1);
        oracle::by_length<A> up_to{std::span<const route<A>>{}};
        for (const route<A>& r : all)
            if (r.where.length <= where.length)
                up_to.set(r.where, r.hop);
        EXPECT_EQ(best, up_to.lookup(where.base));
        markers += length_search::entry_word::is_route(word) ? 0U : 1U;
    });
    EXPECT_GE(markers, 1U);
}

} // namespace
} // namespace fingerpost::testing::of_binary_search_on_lengths
