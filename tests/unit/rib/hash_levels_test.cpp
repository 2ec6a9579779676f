// The dynamic program that chooses levels for a binary search on lengths: the paper's example, and full
// enumeration on small tries.
#include "fingerpost/rib/hash_levels.inl.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/tables/figure_1.hpp"
#include "tests/support/tables/real_data.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing {
namespace {

using seven = address<7>;
using toy = address<9>;
using lengths = std::vector<std::uint8_t>;

// The number of keys in all tables, by definition: the routes of a level, expanded, and the prefixes of
// longer routes at every level where a search must be directed to them.
template <class A>
std::size_t keys_by_definition(const table<A>& routes, const lengths& levels) {
    std::vector<std::set<prefix<A>>> tables(levels.size());
    for (const route<A>& r : routes) {
        if (r.where.length == 0)
            continue;
        const auto level =
            static_cast<unsigned>(std::ranges::lower_bound(levels, r.where.length) - levels.begin());
        const unsigned bits = levels[level] - r.where.length;
        for (unsigned i = 0; i < 1u << bits; ++i) {
            const auto offset = static_cast<typename A::value_type>(i << (A::bits - levels[level]));
            tables[level].insert(prefix<A>::make(
                A{static_cast<typename A::value_type>(r.where.base.value | offset)}, levels[level]));
        }
        unsigned from = 0, end = static_cast<unsigned>(levels.size());
        for (unsigned middle = probed_first(from, end); middle != level; middle = probed_first(from, end)) {
            if (level < middle) {
                end = middle;
            } else {
                tables[middle].insert(prefix<A>::make(r.where.base, levels[middle]));
                from = middle + 1;
            }
        }
    }
    std::size_t keys = 0;
    for (const auto& t : tables)
        keys += t.size();
    return keys;
}

TEST(hash_levels, are_probed_from_the_middle) {
    EXPECT_EQ(probed_first(0, 1), 0u);
    EXPECT_EQ(probed_first(0, 2), 1u); // the longer one of two, which needs no markers
    EXPECT_EQ(probed_first(0, 3), 1u);
    EXPECT_EQ(probed_first(0, 7), 3u);
    EXPECT_EQ(probed_first(4, 7), 5u);
    const std::vector<std::vector<unsigned>> marked{{}, {}, {1}, {2}, {2}, {2, 4}, {1, 3, 5}};
    for (unsigned levels = 1; levels <= most_hash_levels; ++levels)
        for (unsigned at = 0; at < levels; ++at)
            EXPECT_EQ(needs_markers(at, levels), std::ranges::count(marked[levels - 1], at) == 1)
                << at << " of " << levels;
}

TEST(hash_levels, of_the_papers_figure_1) {
    const level_counts counts = count_levels<seven>(figure_1());
    const auto three = best_levels(counts, 3);
    ASSERT_TRUE(three);
    EXPECT_EQ(three->lengths, (lengths{2, 5, 7}));
    EXPECT_EQ(three->keys, 13);
    EXPECT_EQ(three->markers, 0);
    EXPECT_EQ(counts.keys(0, 2), 4);
    EXPECT_EQ(counts.keys(2, 5), 7);
    EXPECT_EQ(counts.keys(5, 7), 2);
    EXPECT_EQ(keys_by_definition(figure_1(), {2, 5, 7}), 13u);
    const auto four = best_levels(counts, 4);
    ASSERT_TRUE(four);
    EXPECT_EQ(four->lengths, (lengths{1, 3, 5, 7}));
    EXPECT_EQ(four->keys, 10);
    // An array of all addresses needs no markers; its slots cost as much as four keys.
    const auto array = best_levels(counts, 3, 7);
    ASSERT_TRUE(array);
    EXPECT_EQ(array->lengths, (lengths{2, 5, 7}));
    EXPECT_EQ(array->keys, 13);
    EXPECT_EQ(best_levels(counts, 3, 1)->lengths, (lengths{1, 4, 7}));
}

template <class Use>
void each_choice(unsigned longest, unsigned levels, lengths& so_far, Use use) {
    const unsigned from = so_far.empty() ? 1 : so_far.back() + 1u;
    if (levels == 1) {
        so_far.push_back(static_cast<std::uint8_t>(longest));
        use(so_far);
        so_far.pop_back();
        return;
    }
    for (unsigned length = from; length + levels <= longest + 1; ++length) {
        so_far.push_back(static_cast<std::uint8_t>(length));
        each_choice(longest, levels - 1, so_far, use);
        so_far.pop_back();
    }
}

TEST(hash_levels, are_the_best_of_all_choices) {
    random_numbers random(1997);
    std::size_t plans = 0, looser = 0, with_markers = 0;
    for (unsigned round = 0; round < 150; ++round) {
        const auto routes = clustered_table<toy>(random, 1 + random.below(40), 5);
        const level_counts counts = count_levels<toy>(routes);
        for (unsigned levels = 1; levels <= most_hash_levels; ++levels) {
            const auto plan = best_levels(counts, levels);
            if (counts.longest() < levels) {
                ASSERT_FALSE(plan);
                continue;
            }
            ASSERT_TRUE(plan);
            EXPECT_EQ(plan->is_bound, levels == 7);
            std::size_t best = ~std::size_t{0};
            lengths list;
            each_choice(counts.longest(), levels, list, [&](const lengths& choice) {
                const std::size_t keys = keys_by_definition(routes, choice);
                const level_plan cost = cost_of_levels(counts, choice);
                best = std::min(best, keys);
                if (levels < 7) {
                    ASSERT_EQ(cost.keys, static_cast<double>(keys)) << text_of<toy>(routes);
                } else {
                    ASSERT_GE(cost.keys, static_cast<double>(keys)) << text_of<toy>(routes);
                    looser += cost.keys > static_cast<double>(keys) ? 1 : 0;
                }
            });
            if (levels < 7) {
                ASSERT_EQ(plan->keys, static_cast<double>(best)) << levels << '\n' << text_of<toy>(routes);
            } else {
                ASSERT_GE(plan->keys, static_cast<double>(best));
            }
            with_markers += plan->markers > 0 ? 1 : 0;
            ++plans;
        }
    }
    EXPECT_GE(plans, 700u);
    EXPECT_GE(with_markers, 100u);
    EXPECT_GE(looser, 5u);
}

TEST(hash_levels, beyond_the_longest_route_cost_their_expansions) {
    const table<toy> routes = sorted<toy>({{leading<toy>(0b1, 1), {1}}, {leading<toy>(0b0110, 4), {2}}});
    const level_counts counts = count_levels<toy>(routes);
    EXPECT_EQ(counts.longest(), 4u);
    EXPECT_EQ(cost_of_levels(counts, lengths{2, 6}).keys, 2.0 + 4.0);
    EXPECT_EQ(cost_of_levels(counts, lengths{2, 6}, true).keys, 4.0 + 4.0);
}

TEST(hash_levels, of_tables_without_longer_routes) {
    for (const table<toy>& routes : {table<toy>{}, table<toy>{{prefix<toy>{}, {1}}}}) {
        const level_counts counts = count_levels<toy>(routes);
        EXPECT_EQ(counts.longest(), 0u);
        EXPECT_FALSE(best_levels(counts, 1));
        EXPECT_EQ(cost_of_levels(counts, lengths{3, 9}).keys, 0);
    }
}

// By number of levels, from 3 on.
template <class A>
void expect_plans(const std::string& name, const std::vector<std::pair<double, lengths>>& plans) {
    auto all = load_real_routes<A>(name);
    if (!all)
        return;
    std::erase_if(*all, [](const route<A>& r) { return r.where.length > 64; });
    const level_counts counts = count_levels<A>(std::span<const route<A>>(*all));
    for (unsigned levels = 3; levels <= most_hash_levels; ++levels) {
        const auto plan = best_levels(counts, levels);
        ASSERT_TRUE(plan);
        EXPECT_EQ(plan->keys, plans[levels - 3].first) << levels;
        EXPECT_EQ(plan->lengths, plans[levels - 3].second) << levels;
    }
}
TEST(hash_levels, of_a_real_table_of_ipv6) {
    expect_plans<ipv6_address>("tier1-v6", {{11'991'486, {36, 48, 64}},
                                            {1'777'899, {33, 40, 48, 64}},
                                            {943'343, {32, 38, 44, 49, 64}},
                                            {595'921, {29, 34, 40, 44, 49, 64}},
                                            {440'514, {29, 32, 36, 40, 44, 49, 64}}});
}
TEST(hash_levels, of_a_real_table_of_ipv4) {
    expect_plans<ipv4_address>("tier1-v4", {{2'121'452, {20, 24, 32}},
                                            {1'391'537, {18, 22, 24, 32}},
                                            {1'336'770, {17, 20, 22, 24, 32}},
                                            {1'179'089, {16, 18, 20, 22, 24, 32}},
                                            {1'182'254, {13, 16, 18, 20, 22, 24, 32}}});
}

} // namespace
} // namespace fingerpost::testing
