// Aggregation keeps all answers with the fewest routes: compared with all tables of tiny universes, with a
// naive dynamic program on larger ones, and by elementary intervals where there are too many addresses to
// enumerate.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <string>
#include <string_view>

#include "fingerpost/rib/aggregate.hpp"
#include "fingerpost/rib/intervals.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/tables/aggregated.hpp"
#include "tests/support/tables/tables.hpp"
#include "tests/support/tables/tiny_universe.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing {
namespace {

// The answer for every address of a tiny space, found by painting the routes, the shortest first.
using answers = std::vector<next_hop>;

template <class A>
answers painted(table<A> routes) {
    std::stable_sort(routes.begin(), routes.end(),
                     [](const auto& a, const auto& b) { return a.where.length < b.where.length; });
    answers out(std::size_t{1} << A::bits, next_hop::none);
    for (const auto& [where, hop] : routes)
        std::fill_n(out.begin() + where.base.value, std::size_t{1} << (A::bits - where.length), hop);
    return out;
}

// The least number of routes with these answers, by definition: at every prefix it tries no route and a route
// to each next hop. It does not use candidate sets.
class fewest_routes {
  public:
    fewest_routes(const answers& right, std::uint32_t hops) : right_(right), hops_(hops) {}

    std::size_t count() const { return below(0, right_.size())[hops_]; }

  private:
    // Indexed by the inherited next hop; `hops_` means no route.
    using costs = std::array<std::size_t, 8>;
    static constexpr std::size_t impossible = 1'000'000;

    costs below(std::size_t from, std::size_t size) const {
        costs without{};
        if (size == 1) {
            for (std::uint32_t hop = 0; hop <= hops_; ++hop)
                without[hop] =
                    (hop == hops_ ? next_hop::none : next_hop{hop}) == right_[from] ? 0 : impossible;
        } else {
            const costs left = below(from, size / 2), right = below(from + size / 2, size / 2);
            for (std::uint32_t hop = 0; hop <= hops_; ++hop)
                without[hop] = left[hop] + right[hop];
        }
        costs best = without;
        for (std::uint32_t hop = 0; hop <= hops_; ++hop)
            for (std::uint32_t own = 0; own < hops_; ++own)
                best[hop] = std::min(best[hop], 1 + without[own]);
        return best;
    }

    const answers& right_;
    std::uint32_t hops_;
};

template <class A>
::testing::AssertionResult smallest(const table<A>& routes, std::uint32_t hops) {
    const table<A> got = aggregated(routes);
    const answers right = painted<A>(routes);
    const std::size_t fewest = fewest_routes(right, hops).count();
    if (well_formed(got) && painted<A>(got) == right && got.size() == fewest)
        return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure()
           << (painted<A>(got) == right ? "not the smallest, which has " : "other answers; the smallest has ")
           << fewest << "\n"
           << text_of<A>(std::span<const route<A>>(routes)) << "  became\n"
           << text_of<A>(std::span<const route<A>>(got));
}

// Enumerates all tables in which each prefix is absent or has one of up to seven next hops, and stores the
// fewest routes for each combination of answers. A combination is a number with three bits per address, 0 for
// no answer.
template <class A>
class all_tables {
  public:
    static constexpr unsigned addresses = 1U << A::bits;
    static constexpr std::uint8_t never = 255;

    explicit all_tables(std::uint32_t hops) : hops_(hops), fewest_(std::size_t{1} << 3 * addresses, never) {
        visit(1, 0, 0);
    }

    // Indexed by combination; `never` marks combinations that no table gives.
    const std::vector<std::uint8_t>& fewest() const { return fewest_; }
    std::size_t tables() const { return tables_; }

  private:
    // Prefixes are numbered like the nodes of a heap, so shorter ones come first and longer ones paint over
    // them.
    void visit(std::uint32_t node, std::uint8_t used, std::uint32_t now) {
        if (node == 2 * addresses) {
            ++tables_;
            fewest_[now] = std::min(fewest_[now], used);
            return;
        }
        visit(node + 1, used, now);
        const auto length = static_cast<unsigned>(std::bit_width(node)) - 1;
        const unsigned size = addresses >> length, first = (node - (1U << length)) * size;
        for (std::uint32_t hop = 0; hop < hops_; ++hop) {
            std::uint32_t next = now;
            for (unsigned i = first; i < first + size; ++i)
                next = (next & ~(7U << 3 * i)) | (hop + 1) << 3 * i;
            visit(node + 1, static_cast<std::uint8_t>(used + 1), next);
        }
    }

    std::uint32_t hops_;
    std::vector<std::uint8_t> fewest_;
    std::size_t tables_ = 0;
};

// Every combination of answers, written as host routes, aggregates to the size of the smallest table.
template <class A>
void every_combination_gets_its_smallest_table(std::uint32_t hops, std::size_t tables,
                                               std::size_t combinations) {
    const all_tables<A> all(hops);
    EXPECT_EQ(all.tables(), tables);
    std::size_t seen = 0;
    for (std::uint32_t wanted = 0; wanted < all.fewest().size(); ++wanted) {
        if (all.fewest()[wanted] == all.never)
            continue;
        table<A> hosts;
        for (std::uint32_t i = 0; i < all.addresses; ++i)
            if (const std::uint32_t one = wanted >> 3 * i & 7; one != 0)
                hosts.push_back({prefix<A>::make(A{i}, A::bits), {one - 1}});
        ASSERT_TRUE(smallest(hosts, hops));
        ASSERT_EQ(aggregated(hosts).size(), all.fewest()[wanted]);
        ++seen;
    }
    EXPECT_EQ(seen, combinations);
}

TEST(aggregate, smallest_of_all_tables_on_one_and_two_bits) {
    every_combination_gets_its_smallest_table<address<1>>(2, 27, 9);
    every_combination_gets_its_smallest_table<address<2>>(2, 2187, 81);
    every_combination_gets_its_smallest_table<address<2>>(3, 16'384, 256);
    every_combination_gets_its_smallest_table<address<2>>(4, 78'125, 625);
}

// 3^15 tables and 3^8 combinations of answers. Every combination occurs.
TEST(aggregate, smallest_of_all_tables_on_three_bits) {
    every_combination_gets_its_smallest_table<address<3>>(2, 14'348'907, 6'561);
}

// Tables with equal answers must have equal aggregates.
TEST(aggregate, tables_of_four_routes_on_three_bits) {
    using A = address<3>;
    std::vector<prefix<A>> prefixes;
    for (unsigned length = 0; length <= A::bits; ++length)
        for (std::uint32_t bits = 0; bits < 1U << length; ++bits)
            prefixes.push_back(leading<A>(bits, length));
    std::map<std::vector<std::uint32_t>, table<A>> by_answers;
    std::size_t tables = 0;
    const auto visit = [&](const auto& self, std::size_t from, const table<A>& routes) -> void {
        ++tables;
        const table<A> in_order = sorted<A>(routes);
        ASSERT_TRUE(smallest(in_order, 2));
        std::vector<std::uint32_t> key;
        for (const next_hop hop : painted<A>(in_order))
            key.push_back(hop.id);
        const auto [other, fresh] = by_answers.try_emplace(key, aggregated(in_order));
        ASSERT_EQ(other->second, aggregated(in_order));
        for (std::size_t i = from; i < prefixes.size() && routes.size() < 4; ++i)
            for (const std::uint32_t hop : {0U, 1U}) {
                table<A> more = routes;
                more.push_back({prefixes[i], {hop}});
                self(self, i + 1, more);
            }
    };
    visit(visit, 0, {});
    EXPECT_EQ(tables, 1U + 15 * 2 + 105 * 4 + 455 * 8 + 1365 * 16);
}

TEST(aggregate, all_tables_of_three_routes_on_five_bits) {
    using A = address<5>;
    const tiny_universe<5> universe;
    std::size_t tables = 0;
    const std::size_t step = all_samples() ? 1 : 11;
    for (std::size_t number = 0; number < universe.size(); ++number)
        for (std::size_t pattern = 0; pattern < universe.patterns(number); ++pattern) {
            if (tables++ % step != 0)
                continue;
            const table<A> routes = universe.at(number, pattern);
            ASSERT_TRUE(smallest(routes, 3));
            ASSERT_TRUE(keeps_promises(routes));
        }
    RecordProperty("tables", std::to_string(tables));
    EXPECT_EQ(tables, 1 + 63 + 2 * 1953 + 5 * 39711U);
}

template <class A>
void clustered_tables_become_smallest(std::size_t count, std::size_t most_routes) {
    random_numbers random(70 + A::bits);
    std::size_t saved = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto hops = static_cast<std::uint32_t>(1 + random.below(5));
        table<A> routes = clustered_table<A>(random, random.below(most_routes), hops);
        // Half of the cases have a default route, so that every address has an answer.
        if (random.below(2) == 0)
            routes = [&] {
                routes.push_back({{}, {0}});
                return sorted<A>(std::move(routes));
            }();
        ASSERT_TRUE(smallest(routes, hops));
        ASSERT_TRUE(keeps_promises(routes));
        saved += routes.size() - aggregated(routes).size();
    }
    EXPECT_GE(saved, count) << "these tables have too little to aggregate";
}

TEST(aggregate, clustered_tables_become_smallest) {
    clustered_tables_become_smallest<address<4>>(scaled(5000), 20);
    clustered_tables_become_smallest<address<8>>(scaled(5000), 60);
    clustered_tables_become_smallest<address<11>>(scaled(1000), 300);
}

template <class A>
void clustered_tables_keep_their_answers() {
    random_numbers random(80 + A::bits);
    for (std::size_t i = 0; i < scaled(2000); ++i)
        ASSERT_TRUE(keeps_promises(
            clustered_table<A>(random, random.below(300), static_cast<std::uint32_t>(1 + random.below(6)))));
}

TEST(aggregate, clustered_tables_keep_their_answers) {
    clustered_tables_keep_their_answers<ipv4_address>();
    clustered_tables_keep_their_answers<ipv6_address>();
}

TEST(aggregate, by_hand) {
    using A = ipv4_address;
    EXPECT_EQ(aggregated<A>({}), table<A>{});
    EXPECT_EQ(aggregated<A>({{{}, {7}}}), (table<A>{{{}, {7}}}));
    // Two halves become one route. A route with the next hop of its cover disappears.
    EXPECT_EQ(aggregated<A>({{leading<A>(0, 1), {5}}, {leading<A>(1, 1), {5}}}), (table<A>{{{}, {5}}}));
    EXPECT_EQ(aggregated<A>({{leading<A>(10, 8), {5}}, {leading<A>(0x0a01, 16), {5}}}),
              (table<A>{{leading<A>(10, 8), {5}}}));
    // A cover is added where it saves a route: 3/4 of the space with next hop 1, above one route with 2.
    EXPECT_EQ(aggregated<A>({{leading<A>(0, 2), {1}},
                             {leading<A>(1, 2), {2}},
                             {leading<A>(2, 2), {1}},
                             {leading<A>(3, 2), {1}}}),
              (table<A>{{{}, {1}}, {leading<A>(1, 2), {2}}}));
    // 3/4 of the space as before, but the rest is a hole, so nothing may cover it.
    EXPECT_EQ(aggregated<A>({{leading<A>(0, 2), {1}}, {leading<A>(2, 2), {1}}, {leading<A>(3, 2), {1}}}),
              (table<A>{{leading<A>(0, 2), {1}}, {leading<A>(1, 1), {1}}}));
    // The largest id and the smallest are treated like any other pair.
    EXPECT_EQ(aggregated<A>({{leading<A>(0, 1), {0xfffffffe}}, {leading<A>(1, 1), {0}}}),
              (table<A>{{{}, {0}}, {leading<A>(0, 1), {0xfffffffe}}}));
}

// The deepest possible table, with candidates at every level.
template <class A>
table<A> chain_to(A end, std::uint32_t hops) {
    table<A> chain;
    for (unsigned length = 0; length <= A::bits; ++length)
        chain.push_back({prefix<A>::make(end, length), {length % hops}});
    return sorted<A>(std::move(chain));
}

TEST(aggregate, a_chain_of_every_length) {
    using A = ipv6_address;
    for (const std::uint32_t hops : {1U, 2U, 3U, 1000U})
        for (const A end : {A::first(), A::last(), leading<A>(0x55555555, 32).last()}) {
            table<A> chain = chain_to(end, hops);
            ASSERT_TRUE(keeps_promises(chain));
            if (hops == 1 || hops > A::bits) {
                EXPECT_EQ(aggregated(chain).size(), hops == 1 ? 1 : A::bits + 1);
            }
            chain.erase(chain.begin());
            ASSERT_TRUE(keeps_promises(chain));
        }
    for (const std::uint32_t hops : {1U, 2U, 3U, 4U, 5U})
        for (std::uint32_t end = 0; end < 128; ++end)
            ASSERT_TRUE(smallest(chain_to(address<7>{end}, hops), hops));
}

// Real tables: all answers stay, and the saving is recorded for docs/inside/aggregate.md.

} // namespace
} // namespace fingerpost::testing
