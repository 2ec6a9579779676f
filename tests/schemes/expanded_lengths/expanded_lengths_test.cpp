// Expanded lengths: the keys of the paper's example and of real tables, levels chosen by the user, and
// limits.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "fingerpost/schemes/expanded_lengths/expanded_lengths.hpp"
#include "tests/support/tables/figure_1.hpp"
#include "tests/support/tables/real_data.hpp"
#include "tests/support/tables/tables.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_expanded_lengths {
namespace {

using seven = address<7>;

template <class A>
std::vector<unsigned> lengths_of(const expanded_lengths::fib<A>& of) {
    std::vector<unsigned> all;
    for (const auto& node : of.store().tree.nodes())
        all.push_back(node.length);
    return all;
}

TEST(expanded_lengths, of_the_papers_figure_1) {
    const routes<seven> table(figure_1());
    const auto three = expanded_lengths::fib<seven, 3>::build(table);
    const auto four = expanded_lengths::fib<seven, 4>::build(table);
    ASSERT_TRUE(three && four);
    EXPECT_EQ(three->store().entries(), 13u);
    EXPECT_EQ(four->store().entries(), 10u);
    std::vector<unsigned> lengths;
    std::size_t markers = 0;
    three->store().for_each([&](const prefix<seven>& where, std::uint64_t word) {
        lengths.push_back(where.length);
        markers += length_search::entry_word::is_route(word) ? 0 : 1;
    });
    std::ranges::sort(lengths);
    EXPECT_EQ(lengths, (std::vector<unsigned>{2, 2, 2, 2, 5, 5, 5, 5, 5, 5, 5, 7, 7}));
    EXPECT_EQ(markers, 0u);
}

// Markers take keys that expansion left free, and have the longest match of their bits.
TEST(expanded_lengths, leaves_markers_with_answers) {
    using A = address<12>;
    const table<A> all = sorted<A>({{leading<A>(0b1, 1), {1}},
                                    {leading<A>(0b0110, 4), {2}},
                                    {leading<A>(0b10110010, 8), {3}},
                                    {leading<A>(0b101111, 6), {4}}});
    const std::array<std::uint8_t, 3> levels{1, 6, 8};
    const auto built = expanded_lengths::fib<A>::build_at(routes<A>(all), levels);
    ASSERT_TRUE(built);
    // 1; 0110xx, 101111 and the marker 101100; 10110010.
    EXPECT_EQ(built->store().entries(), 1u + 6 + 1);
    const std::uint64_t* marker = built->store().find(leading<A>(0b101100, 6));
    ASSERT_NE(marker, nullptr);
    EXPECT_FALSE(length_search::entry_word::is_route(*marker));
    EXPECT_EQ(built->lookup(leading<A>(0b10110011, 8).base), next_hop{1});
    EXPECT_EQ(built->lookup(leading<A>(0b10110010, 8).base), next_hop{3});
}

// The dynamic program's count for 7 levels is an upper bound; the built structure has fewer keys.
TEST(expanded_lengths, has_as_few_keys_as_the_program_says) {
    auto six = load_real_routes<ipv6_address>("tier1-v6");
    if (!six)
        return;
    const auto whole = expanded_lengths::fib<ipv6_address>::build(routes<ipv6_address>(*six));
    std::erase_if(*six, [](const auto& r) { return r.where.length > 64; });
    const auto built = expanded_lengths::fib<ipv6_address>::build(routes<ipv6_address>(*six));
    ASSERT_TRUE(whole && built);
    EXPECT_EQ(built->store().entries(), 435'888u);
    EXPECT_EQ(lengths_of(*built), (std::vector<unsigned>{29, 32, 36, 40, 44, 49, 64}));
    // Longer routes are stored separately: they add markers, but no level.
    EXPECT_LT(whole->store().narrow.size(), 435'888u + 100);
    EXPECT_GE(whole->store().wide.size(), 83u);
    const auto four = load_real_routes<ipv4_address>("tier1-v4");
    ASSERT_TRUE(four);
    const auto narrow = expanded_lengths::fib<ipv4_address>::build(routes<ipv4_address>(*four));
    ASSERT_TRUE(narrow);
    EXPECT_EQ(narrow->store().entries(), 1'179'089u);
    EXPECT_EQ(lengths_of(*narrow), (std::vector<unsigned>{16, 18, 20, 22, 24, 32}));
}

TEST(expanded_lengths, is_refused_beyond_its_limits) {
    using A = ipv6_address;
    const routes<A> few(sorted<A>({{leading<A>(0x2001, 16), {1}}, {leading<A>(0x30010db8, 32), {2}}}));
    EXPECT_TRUE(expanded_lengths::fib<A>::build(few, {}, 2));
    EXPECT_EQ(expanded_lengths::fib<A>::build(few, {}, 1).error(), errc::capacity);
    // One separate route of each length from 9 to 64: seven levels expand them up to 2^7 times.
    table<A> wide;
    for (unsigned length = 9; length <= 64; ++length)
        wide.push_back({prefix<A>::make({static_cast<u128>(length) << 120}, length), {length}});
    const auto all = expanded_lengths::fib<A>::build(routes<A>(sorted(std::move(wide))));
    ASSERT_TRUE(all);
    EXPECT_GT(all->store().entries(), 56u * 8);
    EXPECT_LE(all->store().tree.size(), most_hash_levels);
}

} // namespace
} // namespace fingerpost::testing::of_expanded_lengths
