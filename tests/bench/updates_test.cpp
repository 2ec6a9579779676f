// Lists of changes: equal for equal seeds, with the recorded proportions, and every change fits the routes
// before it.
#include "bench/workloads/change/update_workload.hpp"

#include <gtest/gtest.h>
#include <map>

#include "fingerpost/rib/rib.hpp"
#include "tests/oracle/by_length.hpp"
#include "tests/support/tables/tables.hpp"

namespace fingerpost::bench {
namespace {

template <class A>
std::vector<route<A>> some_table() {
    testing::random_numbers random(5);
    return testing::clustered_table<A>(random, 600, 50);
}

// A recording that withdraws missing routes, repeats changes, and goes back and forth in time.
template <class A>
std::vector<route<A>> some_record() {
    std::vector<route<A>> record;
    for (unsigned round = 0; round < 20; ++round)
        for (unsigned i = 0; i < 30; ++i)
            record.push_back({testing::leading<A>(0x2a00 + i, 16),
                              (i + round) % 3 == 0 ? next_hop::none : next_hop{(i + round / 2) % 5}});
    return record;
}

template <class A>
update_list<A> make(std::string_view name, std::size_t count = 5000, std::uint64_t seed = 1) {
    const std::vector<route<A>> table = some_table<A>();
    const std::vector<route<A>> record = some_record<A>();
    auto made = make_updates<A>(name, table, count, seed, record);
    EXPECT_TRUE(made.has_value()) << name;
    return made ? std::move(*made) : update_list<A>{};
}

template <class A>
bool same(const update_list<A>& a, const update_list<A>& b) {
    return std::equal(a.steps.begin(), a.steps.end(), b.steps.begin(), b.steps.end(),
                      [](const auto& x, const auto& y) {
                          return x.where == y.where && x.after == y.after && x.probe == y.probe;
                      });
}

template <class A>
class bench_updates : public ::testing::Test {};
using both_families = ::testing::Types<ipv4_address, ipv6_address>;
TYPED_TEST_SUITE(bench_updates, both_families);

TYPED_TEST(bench_updates, the_same_seed_gives_the_same_list) {
    for (const update_facts& facts : update_workloads())
        EXPECT_TRUE(same(make<TypeParam>(facts.name), make<TypeParam>(facts.name))) << facts.name;
    EXPECT_FALSE(same(make<TypeParam>("churn", 5000, 1), make<TypeParam>("churn", 5000, 2)));
}

TYPED_TEST(bench_updates, every_step_changes_what_is_there_and_is_seen_where_it_says) {
    using A = TypeParam;
    std::size_t seen = 0;
    for (const update_facts& facts : update_workloads()) {
        const update_list<A> list = make<A>(facts.name, 1500);
        std::map<prefix<A>, next_hop> routes;
        oracle::by_length<A> oracle(some_table<A>());
        for (const route<A>& r : some_table<A>())
            routes[r.where] = r.hop;
        for (const route<A>& r : list.beforehand) {
            routes[r.where] = r.hop;
            oracle.set(r.where, r.hop);
        }
        update_player<A> player(list);
        // To the end of the list, back, and a few steps more.
        for (std::size_t i = 0; i < 2 * list.steps.size() + 3; ++i) {
            const auto turn = player.next();
            const auto had = routes.find(turn.where);
            if (turn.to == next_hop::none) {
                ASSERT_NE(had, routes.end()) << facts.name << " withdraws what is not there";
                routes.erase(had);
            } else {
                ASSERT_TRUE(had == routes.end() || had->second != turn.to) << facts.name;
                routes[turn.where] = turn.to;
            }
            const next_hop before = oracle.lookup(turn.probe);
            oracle.set(turn.where, turn.to);
            if (!turn.visible)
                continue;
            ++seen;
            ASSERT_NE(before, turn.answer);
            ASSERT_EQ(oracle.lookup(turn.probe), turn.answer);
        }
        for (const auto& [where, hop] : player.state()) {
            const auto now = routes.find(where);
            EXPECT_EQ(now == routes.end() ? next_hop::none : now->second, hop) << facts.name;
        }
    }
    EXPECT_GT(seen, 2000U);
}

TYPED_TEST(bench_updates, churn_has_the_recorded_proportions) {
    namespace r = recorded_churn;
    const auto list = make<TypeParam>("churn", 20'000);
    ASSERT_EQ(list.steps.size(), 20'000U);
    double announced = 0;
    double withdrawn = 0;
    double replaced = 0;
    for (const auto& s : list.steps)
        ++(s.before == next_hop::none ? announced : s.after == next_hop::none ? withdrawn : replaced);
    const double all = r::announced + r::withdrawn + r::replaced;
    EXPECT_NEAR(announced / 20'000, r::announced / all, 0.02);
    EXPECT_NEAR(withdrawn / 20'000, r::withdrawn / all, 0.02);
    EXPECT_NEAR(replaced / 20'000, r::replaced / all, 0.02);
    EXPECT_LE(list.prefixes, 20'000 * r::prefixes / r::updates + 1);
}

TYPED_TEST(bench_updates, the_worst_cases_are_what_they_are_called) {
    using A = TypeParam;
    const unsigned lengths[] = {A::bits == 32 ? 8U : 16U, 0};
    const std::string_view names[] = {"slash8", "default_route"};
    for (int i = 0; i < 2; ++i) {
        const auto list = make<A>(names[i]);
        ASSERT_EQ(list.steps.size(), 1U);
        EXPECT_EQ(list.steps[0].where.length, lengths[i]);
        EXPECT_EQ(list.prefixes, 1U);
    }
    EXPECT_NE(make<A>("default_route").steps[0].before, next_hop::none);
    EXPECT_EQ(make<A>("flap48").steps[0].after, next_hop::none);
}

TEST(bench_updates_limits, what_cannot_be_made_is_an_error) {
    EXPECT_EQ(make_updates<ipv4_address>("nosuch", {}, 10, 1).error(), errc::invalid);
    for (const std::string_view name : {"churn", "recorded", "slash8", "flap48"})
        EXPECT_EQ(make_updates<ipv4_address>(name, {}, 10, 1).error(), errc::not_found) << name;
    EXPECT_TRUE(make_updates<ipv4_address>("default_route", {}, 10, 1));
}

TEST(bench_updates_limits, one_route_is_enough_to_churn) {
    const std::vector<route<ipv4_address>> one{{testing::leading<ipv4_address>(10, 8), {0}}};
    for (const std::string_view name : {"churn", "slash8", "default_route", "flap48"})
        EXPECT_TRUE(make_updates<ipv4_address>(name, one, 100, 1)) << name;
}

} // namespace
} // namespace fingerpost::bench
