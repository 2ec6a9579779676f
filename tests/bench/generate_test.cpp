// Generated tables: exact checksums, equal on every platform, and statistics like those of the real tables on
// which they are modelled.
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>

#include "bench/workloads/generate/generate.hpp"
#include "bench/workloads/generate/next_hops.hpp"
#include "bench/workloads/table_stats.hpp"
#include "fingerpost/rib/intervals.hpp"
#include "tests/support/tables/real_data.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::bench::of_generate {
namespace {

using testing::load_real_routes;

template <class A>
using table = std::vector<route<A>>;

template <class A>
table<A> generated(const generate_options& options) {
    auto made = generate<A>(options);
    EXPECT_TRUE(made) << (made ? "" : made.error());
    return made ? std::move(*made) : table<A>{};
}

template <class A>
table_stats stats_of(const table<A>& routes) {
    static constexpr unsigned wide[] = {16, 24, 32};
    static constexpr unsigned narrow[] = {8, 16, 24};
    return measure_table<A>(routes, A::bits == 32 ? std::span<const unsigned>(narrow) : wide);
}

// FNV-1a over the words of every route, most significant byte first, so that the byte order of the platform
// does not matter.
template <class A>
std::uint64_t fingerprint(const table<A>& routes) {
    std::uint64_t hash = 0xcbf29ce484222325;
    const auto mix = [&](std::uint64_t word) {
        for (int shift = 56; shift >= 0; shift -= 8)
            hash = (hash ^ (word >> shift & 255)) * 0x100000001b3;
    };
    for (const auto& [where, hop] : routes) {
        mix(top64(where.base));
        mix(bottom64(where.base));
        mix(where.length);
        mix(hop.id);
    }
    return hash;
}

template <class A>
void expect_well_formed(const generate_options& options, std::size_t routes) {
    const table<A> made = generated<A>(options);
    ASSERT_EQ(made.size(), routes);
    for (std::size_t i = 0; i < made.size(); ++i) {
        ASSERT_TRUE(prefix<A>::is_canonical(made[i].where.base, made[i].where.length)) << "route " << i;
        ASSERT_LT(made[i].hop.id, options.next_hops);
        ASSERT_TRUE(i == 0 || made[i - 1].where < made[i].where) << "route " << i;
    }
    const std::string_view name = options.shares.empty() ? default_shares(A::bits) : options.shares;
    ASSERT_EQ(stats_of(made).lengths, count_lengths(*find_share_table(name), routes));
}

TEST(generate, as_many_distinct_routes_as_asked_for) {
    for (const address_model model : {address_model::uniform, address_model::clustered})
        for (const std::size_t routes : {1, 2, 3, 10, 100, 1'000, 235'466}) {
            SCOPED_TRACE(std::to_string(routes) + " routes, model " +
                         std::to_string(static_cast<int>(model)));
            expect_well_formed<ipv6_address>({.model = model, .routes = routes}, routes);
            expect_well_formed<ipv4_address>({.model = model, .routes = routes}, routes);
        }
}

TEST(generate, a_million_and_more_than_the_real_tables) {
    expect_well_formed<ipv6_address>({.routes = 1'000'000}, 1'000'000);
    expect_well_formed<ipv4_address>({.routes = 1'500'000}, 1'500'000);
}

TEST(generate, every_named_table_in_its_own_size_and_in_a_small_one) {
    std::size_t tried = 0;
    for (const share_table& t : share_tables) {
        SCOPED_TRACE(t.name);
        const generate_options small{.shares = t.name, .routes = 999, .seed = 7};
        const generate_options whole{.shares = t.name, .seed = 7};
        if (t.address_bits == 32) {
            expect_well_formed<ipv4_address>(small, 999);
            expect_well_formed<ipv4_address>(whole, t.routes);
        } else {
            expect_well_formed<ipv6_address>(small, 999);
            expect_well_formed<ipv6_address>(whole, t.routes);
        }
        ++tried;
    }
    EXPECT_EQ(tried, 16u);
}

TEST(generate, published_shares_to_one_route) {
    for (const share_table& t : share_tables) {
        const length_counts counts = count_lengths(t, t.routes);
        for (const top_share& top : t.top) {
            const double wanted = static_cast<double>(t.routes) * top.share / 10'000;
            EXPECT_NEAR(static_cast<double>(counts[top.length]), wanted, 1.0)
                << t.name << " /" << +top.length;
        }
    }
}

// If these numbers change, every published result that is based on a generated table changes with them.
// Announce such a change in the changelog.
TEST(generate, same_seed_same_table_on_every_platform) {
    EXPECT_EQ(fingerprint(generated<ipv6_address>({.routes = 20'000})), 0xd948a8427d9af245u);
    EXPECT_EQ(fingerprint(generated<ipv4_address>({.routes = 20'000})), 0x2d635865f18bbde4u);
    EXPECT_EQ(fingerprint(generated<ipv6_address>({.model = address_model::uniform, .routes = 20'000})),
              0xcbacc1eaaa582310u);
    EXPECT_EQ(fingerprint(generated<ipv4_address>({.model = address_model::uniform, .routes = 20'000})),
              0xc62fdc7fc16d6fafu);
    EXPECT_NE(fingerprint(generated<ipv6_address>({.routes = 20'000, .seed = 2})),
              fingerprint(generated<ipv6_address>({.routes = 20'000})));
}

TEST(generate, says_what_is_wrong) {
    const auto unknown = generate<ipv6_address>({.shares = "rrc00-99"});
    ASSERT_FALSE(unknown);
    EXPECT_NE(unknown.error().find("rrc00-99"), std::string::npos);
    EXPECT_FALSE(generate<ipv4_address>({.shares = "rrc00-25"}));
    EXPECT_FALSE(generate<ipv6_address>({.shares = "tier1-v4"}));
    EXPECT_FALSE(generate<ipv6_address>({.next_hops = 0}));
    for (const address_model model : {address_model::uniform, address_model::clustered}) {
        const auto full = generate<ipv4_address>({.model = model, .routes = 5'000'000});
        ASSERT_FALSE(full);
        EXPECT_NE(full.error().find("length 16"), std::string::npos) << full.error();
    }
}

TEST(generate, models_of_one_length) {
    const auto expect_of_one_length = [](const auto& routes, std::size_t count, unsigned length) {
        ASSERT_EQ(routes.size(), count);
        for (std::size_t i = 0; i < count; ++i)
            ASSERT_TRUE(routes[i].where.length == length &&
                        (i == 0 || routes[i - 1].where < routes[i].where));
    };
    for (const address_model model :
         {address_model::contiguous, address_model::sparse, address_model::hosts}) {
        const bool is_hosts = model == address_model::hosts;
        expect_of_one_length(generated<ipv4_address>({.model = model, .routes = 40'000}), 40'000,
                             is_hosts ? 32 : 24);
        expect_of_one_length(generated<ipv6_address>({.model = model, .routes = 1'000'000}), 1'000'000,
                             is_hosts ? 128 : 48);
    }
    const auto hosts = generated<ipv6_address>({.model = address_model::hosts, .routes = 1'000'000});
    const auto block = prefix<ipv6_address>::make(hosts.front().where.base, 108);
    for (const auto& r : hosts)
        ASSERT_TRUE(r.where.length == 128 && block.covers(r.where));
    const auto row = generated<ipv6_address>({.model = address_model::contiguous, .routes = 70'000});
    for (std::size_t i = 1; i < row.size(); ++i)
        ASSERT_EQ(row[i - 1].where.last().value + 1, row[i].where.first().value);
    EXPECT_FALSE(generate<ipv6_address>({.model = address_model::hosts, .routes = 1'100'000}));
    EXPECT_FALSE(generate<ipv4_address>({.model = address_model::contiguous, .routes = 15'000'000}));
}

// All /16 of unicast space are in use: 3.7 million routes have 55,342 of them.
TEST(generate, uniform_fills_a_length_to_the_brim) {
    expect_well_formed<ipv4_address>({.model = address_model::uniform, .routes = 3'700'000}, 3'700'000);
}

void expect_within(double share, double real, double made, const std::string& what) {
    EXPECT_NEAR(made, real, share * real) << what << ": " << made / real * 100 - 100 << " %";
}
void expect_within_tenth(std::uint64_t real, std::uint64_t made, const std::string& what) {
    expect_within(0.1, static_cast<double>(real), static_cast<double>(made), what);
}

void expect_same_blocks(const block_sizes& real, const block_sizes& made) {
    const std::string where = "/" + std::to_string(real.length) + " blocks";
    expect_within_tenth(real.blocks(), made.blocks(), where);
    expect_within(0.1, real.mean(), made.mean(), where + ", mean");
    for (const unsigned permille : {500u, 750u, 900u, 990u, 999u, 1000u})
        expect_within_tenth(real.quantile(permille), made.quantile(permille),
                            where + ", quantile " + std::to_string(permille));
}

TEST(generate_like_real, ipv6_at_the_size_and_lengths_of_tier1) {
    const auto real = load_real_routes<ipv6_address>("tier1-v6");
    if (!real)
        return;
    const table_stats want = stats_of(*real);
    const table_stats got = stats_of(generated<ipv6_address>({.shares = "tier1-v6"}));
    EXPECT_EQ(got.lengths, want.lengths);
    expect_within(0.1, want.boundaries_per_route(), got.boundaries_per_route(), "boundaries a route");
    expect_within(0.1, want.mean_nesting(), got.mean_nesting(), "mean nesting");
    expect_within_tenth(want.deepest(), got.deepest(), "deepest");
    // 0.5 % of the routes are nested more than four deep.
    for (std::size_t depth = 1; depth <= 4; ++depth)
        expect_within_tenth(want.nesting[depth], got.nesting[depth], "depth " + std::to_string(depth));
    for (std::size_t i = 0; i < want.blocks.size(); ++i)
        expect_same_blocks(want.blocks[i], got.blocks[i]);
}

// Seeds differ most in the routes within one large allocation, so means are compared for all seeds, and
// single quantiles are not.
TEST(generate_like_real, ipv6_for_other_seeds) {
    const auto real = load_real_routes<ipv6_address>("tier1-v6");
    if (!real)
        return;
    const table_stats want = stats_of(*real);
    for (std::uint64_t seed = 2; seed <= 9; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const table_stats got = stats_of(generated<ipv6_address>({.shares = "tier1-v6", .seed = seed}));
        expect_within(0.1, want.boundaries_per_route(), got.boundaries_per_route(), "boundaries a route");
        expect_within(0.1, want.mean_nesting(), got.mean_nesting(), "mean nesting");
        for (std::size_t i = 0; i < want.blocks.size(); ++i)
            expect_within_tenth(want.blocks[i].blocks(), got.blocks[i].blocks(), "blocks");
    }
}

TEST(generate_like_real, ipv4_at_the_size_and_lengths_of_tier1) {
    const auto real = load_real_routes<ipv4_address>("tier1-v4");
    if (!real)
        return;
    const table_stats want = stats_of(*real);
    const table_stats got = stats_of(generated<ipv4_address>({}));
    EXPECT_EQ(got.lengths, want.lengths);
    expect_within(0.1, want.boundaries_per_route(), got.boundaries_per_route(), "boundaries a route");
    expect_within(0.1, want.mean_nesting(), got.mean_nesting(), "mean nesting");
    for (std::size_t i = 0; i < want.blocks.size(); ++i)
        expect_within_tenth(want.blocks[i].blocks(), got.blocks[i].blocks(), "blocks");
    for (const unsigned permille : {500u, 750u, 900u, 990u})
        expect_within_tenth(want.blocks[1].quantile(permille), got.blocks[1].quantile(permille),
                            "routes a /16");
}

TEST(deal_next_hops, clustered_as_the_peer_at_linx) {
    const auto real = load_real_routes<ipv6_address>("ipv6-2014-linx");
    if (!real)
        return;
    const table_stats want = stats_of(*real);
    const std::size_t runs = elementary_intervals<ipv6_address>(*real).size();
    table<ipv6_address> dealt = *real;
    deal_next_hops<ipv6_address>(dealt, {dealing::clustered, 94});
    const table_stats got = stats_of(dealt);
    EXPECT_EQ(want.next_hops, 94u);
    expect_within_tenth(want.next_hops, got.next_hops, "next hops");
    expect_within_tenth(want.heirs, got.heirs, "routes with their cover's next hop");
    expect_within_tenth(runs, elementary_intervals<ipv6_address>(dealt).size(), "intervals after merging");
}

template <class A>
void expect_unmerged(table<A> routes) {
    deal_next_hops<A>(routes, {dealing::unmerged});
    EXPECT_EQ(elementary_intervals<A>(routes).size(), stats_of(routes).boundaries);
    std::set<std::uint32_t> ids;
    for (const route<A>& r : routes)
        ids.insert(r.hop.id);
    EXPECT_LT(*ids.rbegin(), unmerged_hops);
    EXPECT_EQ(ids.size(), std::min<std::size_t>(routes.size(), unmerged_hops));
}

TEST(deal_next_hops, unmerged_merges_nothing) {
    expect_unmerged(generated<ipv6_address>({.routes = 300'000}));
    expect_unmerged(generated<ipv4_address>({.routes = 900'000}));
    expect_unmerged(generated<ipv6_address>({.model = address_model::uniform, .routes = 100'000}));
    expect_unmerged(generated<ipv6_address>({.routes = 5}));
}

// Ids repeat every 60,000 routes. Without a correction, routes 60,000 and 120,000 would get the id of the
// adjacent /0, and every 60,000th /25 the id of the /24 that ends with it.
TEST(deal_next_hops, unmerged_under_one_cover_of_many) {
    table<ipv4_address> routes{{prefix<ipv4_address>{}, {}}};
    for (std::uint32_t i = 0; i < 130'000; ++i)
        routes.push_back({prefix<ipv4_address>::make({i << 9}, 24), {}});
    expect_unmerged(routes);
    table<ipv4_address> chain;
    for (std::uint32_t length = 0; length <= 32; ++length)
        chain.push_back({prefix<ipv4_address>::make(ipv4_address::last(), length), {}});
    std::sort(chain.begin(), chain.end(), [](const auto& a, const auto& b) { return a.where < b.where; });
    expect_unmerged(chain);
}

TEST(deal_next_hops, unmerged_on_the_real_tables) {
    const auto six = load_real_routes<ipv6_address>(testing::real_or_small("tier1-v6", "ipv6"));
    if (!six)
        return;
    const auto four = load_real_routes<ipv4_address>(testing::real_or_small("tier1-v4", "ipv4"));
    if (!four)
        return;
    expect_unmerged(*six);
    expect_unmerged(*four);
}

TEST(deal_next_hops, unique_and_random) {
    table<ipv6_address> routes = generated<ipv6_address>({.routes = 10'000});
    deal_next_hops<ipv6_address>(routes, {dealing::unique});
    for (std::uint32_t i = 0; i < routes.size(); ++i)
        ASSERT_EQ(routes[i].hop.id, i);
    deal_next_hops<ipv6_address>(routes, {dealing::random, 16});
    EXPECT_EQ(stats_of(routes).next_hops, 16u);
    for (const dealing how : {dealing::clustered, dealing::random}) {
        deal_next_hops<ipv6_address>(routes, {how, 1});
        EXPECT_EQ(stats_of(routes).next_hops, 1u);
    }
}

TEST(deal_next_hops, policies_by_name) {
    EXPECT_EQ(parse_dealing("unmerged")->how, dealing::unmerged);
    EXPECT_EQ(parse_dealing("unique")->how, dealing::unique);
    EXPECT_EQ(parse_dealing("clustered:94")->hops, 94u);
    EXPECT_EQ(parse_dealing("random:4294967295")->how, dealing::random);
    for (const char* wrong : {"", "file", "clustered", "clustered:", "clustered:0", "random:-1",
                              "random:4294967296", "random:1x", "unmerged:3", ":3"})
        EXPECT_FALSE(parse_dealing(wrong)) << wrong;
}

} // namespace
} // namespace fingerpost::bench::of_generate
