// The live table through its interface: transactions, errors and queries, for every scheme and policy.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/oracle/by_length.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/live.hpp"
#include "tests/support/tables/tables.hpp"

namespace fingerpost::testing::of_table {
namespace {

template <class A>
class Table : public over_schemes<A> {};
using widths = ::testing::Types<address<12>, address<32>, address<128>>;
TYPED_TEST_SUITE(Table, widths);

template <class A>
void expect_answers(live_table<A>& live, const std::map<prefix<A>, next_hop>& right, random_numbers& random) {
    std::vector<route<A>> all;
    for (const auto& [where, hop] : right)
        all.push_back({where, hop});
    const oracle::by_length<A> truth{std::span<const route<A>>(all)};
    auto by = live.reader();
    ASSERT_TRUE(by);
    const auto now = by->pin();
    std::vector<A> at;
    for (const route<A>& r : all)
        for (const A a : {r.where.first(), r.where.last()})
            at.push_back(a);
    at.push_back(A::first());
    at.push_back(A::last());
    at.push_back(random.address<A>());
    std::vector<next_hop> got(at.size());
    now.lookup(at, got);
    for (std::size_t i = 0; i < at.size(); ++i) {
        ASSERT_EQ(got[i], truth.lookup(at[i])) << text_of(at[i]);
        ASSERT_EQ(now.lookup(at[i]), got[i]);
    }
    ASSERT_EQ(live.size(), all.size());
}

TYPED_TEST(Table, EverySchemeAndPolicyShowsWhatWasCommitted) {
    using A = TypeParam;
    std::size_t kinds = 0;
    for_each_kind<A>([&](const table_options& options) {
        ++kinds;
        auto live = live_table<A>::create(options);
        ASSERT_TRUE(live);
        random_numbers random(7);
        clustered_prefixes<A> prefixes(random);
        std::map<prefix<A>, next_hop> right;
        for (unsigned round = 0; round < scaled(40); ++round) {
            auto changes = live->begin();
            auto next = right;
            std::vector<edit<A>> edits;
            for (std::uint64_t i = random.below(6) + 1; i > 0; --i) {
                const prefix<A> p = prefixes.next();
                if (random.below(3) != 0) {
                    const next_hop hop{static_cast<std::uint32_t>(random.below(5))};
                    edits.push_back({p, hop});
                    next[p] = hop;
                } else if (!next.empty()) {
                    const prefix<A> gone =
                        std::next(next.begin(), static_cast<long>(random.below(next.size())))->first;
                    edits.push_back({gone, next_hop::none});
                    next.erase(gone);
                }
            }
            if (random.below(2) == 0) {
                const changes_taken taken = changes.change(edits);
                ASSERT_EQ(taken.failure, errc::ok);
                ASSERT_EQ(taken.count, edits.size());
            } else {
                for (const edit<A>& e : edits)
                    ASSERT_EQ(e.hop == next_hop::none ? changes.withdraw(e.where)
                                                      : changes.announce(e.where, e.hop),
                              errc::ok);
            }
            if (random.below(4) == 0)
                continue; // dropped without a commit
            const auto done = changes.commit();
            ASSERT_TRUE(done);
            ASSERT_NE(done->state, publish_state::deferred);
            ASSERT_EQ(done->state == publish_state::unchanged, next == right);
            right = next;
            ASSERT_NO_FATAL_FAILURE(expect_answers(*live, right, random));
        }
        ASSERT_EQ(live->pending(), 0u);
        ASSERT_EQ(live->stalled().versions, 0u);
    });
    if (effort() >= 0.5) {
        EXPECT_EQ(kinds, kinds_of_tables<A>({every_policy.begin(), every_policy.end()}));
    }
    EXPECT_GE(kinds, 1u);
}

TYPED_TEST(Table, BulkLoadsAndDifferences) {
    using A = TypeParam;
    for_each_kind<A>([&](const table_options& options) {
        auto live = live_table<A>::create(options);
        ASSERT_TRUE(live);
        random_numbers random(11);
        const auto first = clustered_table<A>(random, 60, 5);
        auto second = clustered_table<A>(random, 60, 5);
        second.insert(second.end(), first.begin(), first.begin() + static_cast<long>(first.size() / 2));
        second = sorted(std::move(second));
        const auto loaded = live->assign(first);
        ASSERT_TRUE(loaded);
        ASSERT_EQ(loaded->state, publish_state::published);
        const std::uint64_t version = live->version();
        const auto same = live->replace_all(first);
        ASSERT_TRUE(same);
        ASSERT_EQ(same->commit.state, publish_state::unchanged);
        ASSERT_EQ(same->added + same->removed + same->replaced, 0u);
        ASSERT_EQ(live->version(), version);
        const auto other = live->replace_all(second);
        ASSERT_TRUE(other);
        ASSERT_EQ(other->commit.state, publish_state::published);
        ASSERT_EQ(other->commit.changes, other->added + other->removed + other->replaced);
        ASSERT_EQ(live->version(), version + 1);
        std::map<prefix<A>, next_hop> right;
        for (const auto& r : second)
            right[r.where] = r.hop;
        ASSERT_NO_FATAL_FAILURE(expect_answers(*live, right, random));
        const auto none = live->replace_all({});
        ASSERT_TRUE(none);
        ASSERT_EQ(none->removed, second.size());
        ASSERT_NO_FATAL_FAILURE(expect_answers<A>(*live, {}, random));
    });
}

TYPED_TEST(Table, RefusesWhatIsWrongAndStaysAsItWas) {
    using A = TypeParam;
    for_each_kind<A>([&](const table_options& options) {
        auto live = live_table<A>::create(options);
        ASSERT_TRUE(live);
        const auto p = leading<A>(1, 3);
        prefix<A> wrong = p;
        wrong.length = A::bits + 1;
        EXPECT_EQ(live->announce(p, next_hop::none), errc::invalid);
        EXPECT_EQ(live->announce(wrong, {1}), errc::invalid);
        EXPECT_EQ(live->withdraw(wrong), errc::invalid);
        EXPECT_EQ(live->withdraw(p), errc::not_found);
        EXPECT_FALSE(live->assign({{p, next_hop::none}}));
        EXPECT_FALSE(live->replace_all({{wrong, {1}}}));
        EXPECT_EQ(live->version(), 1u);
        EXPECT_EQ(live->announce(p, {4}), errc::ok);
        EXPECT_EQ(live->announce(p, {4}), errc::ok);
        EXPECT_EQ(live->version(), 2u);
        auto changes = live->begin();
        EXPECT_EQ(changes.announce(p, next_hop::none), errc::invalid);
        EXPECT_EQ(changes.withdraw(leading<A>(2, 3)), errc::not_found);
        EXPECT_EQ(changes.withdraw(p), errc::ok);
        EXPECT_EQ(changes.withdraw(p), errc::not_found);
        EXPECT_EQ(changes.announce(leading<A>(2, 3), {1}), errc::ok);
        EXPECT_EQ(live->get(p), next_hop{4}) << "nothing before the commit";
        changes.rollback();
        // Many changes in one call: those before the refused one remain.
        const edit<A> gone{p, next_hop::none};
        const edit<A> back{p, {5}};
        const std::vector<edit<A>> twice{gone, back, gone, gone, back};
        EXPECT_EQ(changes.change(twice).count, 3u);
        EXPECT_EQ(changes.change(twice).failure, errc::not_found) << "it is withdrawn already";
        const std::vector<edit<A>> too_long{back, {wrong, {1}}, back};
        const changes_taken taken = changes.change(too_long);
        EXPECT_EQ(taken.count, 1u);
        EXPECT_EQ(taken.failure, errc::invalid);
        EXPECT_EQ(changes.size(), 1u);
        changes.rollback();
        const auto done = changes.commit();
        ASSERT_TRUE(done);
        EXPECT_EQ(done->state, publish_state::unchanged);
        EXPECT_EQ(live->size(), 1u);
    });
}

TYPED_TEST(Table, WhatIsNotOnOfferIsRefused) {
    using A = TypeParam;
    table_options options;
    options.scheme = "no such scheme";
    EXPECT_EQ(live_table<A>::create(options).error(), errc::not_found);
    options = {};
    options.most_old_versions = 0;
    EXPECT_EQ(live_table<A>::create(options).error(), errc::invalid);
    for (const scheme_entry<A>& scheme : schemes<A>())
        for (const policy how : every_policy) {
            options = {};
            options.scheme = scheme.facts.name;
            options.update = how;
            const auto made = live_table<A>::create(options);
            EXPECT_EQ(made.has_value(), fits(scheme, how));
            if (!made) {
                EXPECT_EQ(made.error(), errc::unsupported);
            }
        }
}

TYPED_TEST(Table, ExactQueriesSeeWhatIsCommitted) {
    using A = TypeParam;
    auto live = live_table<A>::create();
    ASSERT_TRUE(live);
    const auto top = leading<A>(1, 2), inner = leading<A>(5, 4), other = leading<A>(4, 4);
    ASSERT_TRUE(live->assign({{inner, {2}}, {top, {1}}, {other, {3}}}));
    EXPECT_EQ(live->size(), 3u);
    EXPECT_EQ(live->get(inner), next_hop{2});
    EXPECT_EQ(live->cover(inner)->where, top);
    EXPECT_EQ(live->match(inner.last())->where, inner);
    EXPECT_EQ(live->covering(inner), (std::vector<route<A>>{{top, {1}}}));
    EXPECT_EQ(live->covered(top), (std::vector<route<A>>{{top, {1}}, {other, {3}}, {inner, {2}}}));
    std::size_t count = 0;
    for (auto at = live->begin_routes(); at != live->end_routes(); ++at)
        ++count;
    EXPECT_EQ(count, 3u);
    EXPECT_EQ(live->with_rib([](const rib<A>& r) { return r.to_routes().size(); }), 3u);
    EXPECT_GT(live->memory_bytes(), live->memory().rib + live->memory().fib - 1);
}

TYPED_TEST(Table, PublishesOnRequestWhatWasCommitted) {
    using A = TypeParam;
    for_each_kind<A>([&](table_options options) {
        options.publish_on_commit = false;
        auto live = live_table<A>::create(options);
        ASSERT_TRUE(live);
        auto by = live->reader();
        ASSERT_TRUE(by);
        for (std::uint32_t i = 0; i < 8; ++i)
            ASSERT_EQ(live->announce(leading<A>(i, 3), {i}), errc::ok);
        EXPECT_EQ(live->pending(), 8u);
        EXPECT_EQ(by->pin().lookup(A::last()), next_hop::none);
        const auto done = live->publish();
        ASSERT_TRUE(done);
        EXPECT_EQ(done->state, publish_state::published);
        EXPECT_EQ(by->pin().lookup(A::last()), next_hop{7});
        EXPECT_EQ(live->publish()->state, publish_state::unchanged);
        EXPECT_EQ(live->version(), 2u);
    });
}

// Regression test: each FIB of left-right used to have its own list of missing changes. Coalescing made the
// lists overflow at different times, and when only the published FIB's had, the other FIB got no changes.
TEST(HeldCommits, AllAreShownHoweverManyTouchTheSamePrefixes) {
    using A = ipv4_address;
    constexpr std::uint32_t routes = 8000; // 1/4 of them is more than the minimum number of patches
    const auto where = [](std::uint32_t i) { return prefix<A>::make(A{i << 8}, 24); };
    for_each_kind<A>([&](table_options options) {
        options.publish_on_commit = false;
        auto live = live_table<A>::create(options);
        ASSERT_TRUE(live);
        std::vector<route<A>> right;
        for (std::uint32_t i = 0; i < routes; ++i)
            right.push_back({where(i), {i % 5}});
        ASSERT_TRUE(live->assign(right));
        const auto change = [&](std::uint32_t first, std::uint32_t last, std::uint32_t hop) {
            auto changes = live->begin();
            for (std::uint32_t i = first; i < last; ++i) {
                right[i].hop = {hop};
                ASSERT_EQ(changes.announce(where(i), {hop}), errc::ok);
            }
            ASSERT_TRUE(changes.commit());
        };
        change(0, 600, 101);
        ASSERT_TRUE(live->publish());
        change(0, 600, 102);
        ASSERT_TRUE(live->publish());
        for (const std::uint32_t hop : {103u, 104u, 105u})
            change(1000, 1700, hop);
        const auto done = live->publish();
        ASSERT_TRUE(done);
        ASSERT_EQ(done->state, publish_state::published);
        ASSERT_EQ(live->pending(), 0u);
        auto by = live->reader();
        ASSERT_TRUE(by);
        const auto now = by->pin();
        for (const route<A>& r : right)
            ASSERT_EQ(now.lookup(r.where.first()), r.hop) << text_of(r.where.first());
    });
}

// A commit that changes nothing must report other held commits.
TEST(HeldCommits, ACommitWithoutEffectDoesNotHideThem) {
    table_options options;
    options.publish_on_commit = false;
    auto live = ipv4_table::create(options);
    const ipv4_prefix p = leading<ipv4_address>(0x0a, 8);
    ASSERT_TRUE(live && live->announce(p, {1}) == errc::ok);
    for (const publish_state right : {publish_state::deferred, publish_state::unchanged}) {
        auto changes = live->begin();
        ASSERT_EQ(changes.announce(p, {1}), errc::ok);
        const auto done = changes.commit();
        ASSERT_TRUE(done);
        EXPECT_EQ(done->state, right);
        ASSERT_TRUE(live->publish());
    }
}

TYPED_TEST(Table, SnapshotsStayAndRefresh) {
    using A = TypeParam;
    for_each_kind<A>([&](const table_options& options) {
        if (options.update == policy::in_place)
            return; // there is only one FIB, so a snapshot shows later changes
        auto live = live_table<A>::create(options);
        ASSERT_TRUE(live);
        auto by = live->reader();
        ASSERT_TRUE(by);
        ASSERT_EQ(live->announce(leading<A>(1, 1), {1}), errc::ok);
        auto now = by->pin();
        const std::uint64_t version = now.version();
        ASSERT_EQ(live->announce(leading<A>(1, 1), {2}), errc::ok);
        EXPECT_EQ(now.lookup(A::last()), next_hop{1});
        {
            const auto nested = by->pin();
            EXPECT_EQ(nested.version(), version);
            EXPECT_FALSE(now.refresh());
        }
        EXPECT_EQ(live->stalled().readers, 1u);
        EXPECT_EQ(live->stalled().versions, 1u);
        EXPECT_EQ(live->stalled().publications, 1u);
        EXPECT_TRUE(now.refresh());
        EXPECT_FALSE(now.refresh());
        EXPECT_EQ(now.version(), version + 1);
        EXPECT_EQ(now.lookup(A::last()), next_hop{2});
        EXPECT_EQ(live->stalled().versions, 0u);
    });
}

// The cost of a stalled reader: old versions up to the limit; then publication waits, and nothing is lost.
TYPED_TEST(Table, StalledReadersCostWhatTheOptionsSay) {
    using A = TypeParam;
    for_each_kind<A>([&](table_options options) {
        if (options.update == policy::in_place)
            return;
        options.most_old_versions = 3;
        options.patience = std::chrono::nanoseconds(0);
        auto live = live_table<A>::create(options);
        ASSERT_TRUE(live);
        std::vector<reader<A>> readers;
        std::vector<snapshot<A>> held;
        readers.reserve(6);
        bool deferred = false;
        for (std::uint32_t i = 0; i < 6; ++i) {
            auto changes = live->begin();
            ASSERT_EQ(changes.announce(leading<A>(1, 1), {i}), errc::ok);
            const auto done = changes.commit();
            ASSERT_TRUE(done);
            deferred |= done->state == publish_state::deferred;
            auto by = live->reader();
            ASSERT_TRUE(by);
            readers.push_back(std::move(*by));
            held.push_back(readers.back().pin());
        }
        EXPECT_TRUE(deferred);
        EXPECT_LE(live->stalled().versions, 3u);
        EXPECT_GT(live->pending(), 0u);
        EXPECT_EQ(live->get(leading<A>(1, 1)), next_hop{5});
        EXPECT_EQ(live->publish()->state, publish_state::deferred);
        held.clear();
        EXPECT_EQ(live->publish()->state, publish_state::published);
        EXPECT_EQ(readers[0].pin().lookup(A::last()), next_hop{5});
        live->reclaim();
        EXPECT_EQ(live->stalled().versions, 0u);
    });
}

// A stalled reader costs one FIB, however long it stalls, and other readers continue.
TYPED_TEST(Table, OneStalledReaderCostsOneVersion) {
    using A = TypeParam;
    for_each_kind<A>([&](table_options options) {
        options.most_old_versions = 2;
        options.patience = std::chrono::nanoseconds(0);
        auto live = live_table<A>::create(options);
        ASSERT_TRUE(live);
        auto stalls = live->reader(), goes_on = live->reader();
        ASSERT_TRUE(stalls && goes_on);
        {
            const auto held = stalls->pin();
            for (std::uint32_t i = 0; i < 50; ++i) {
                ASSERT_EQ(live->announce(leading<A>(1, 1), {i}), errc::ok);
                ASSERT_EQ(goes_on->pin().lookup(A::last()), next_hop{i});
                ASSERT_LE(live->stalled().versions, 1u);
            }
            EXPECT_EQ(live->stalled().readers, 1u);
            EXPECT_EQ(live->stalled().publications, 50u);
        }
        EXPECT_EQ(live->stalled().readers, 0u);
    });
}

// Only a new FIB has a code for the second next hop. The first change is undone before the rebuild, so the
// FIB does not contain the third route.
TYPED_TEST(Table, InPlaceATransactionThatEndsHalfWayIsTakenBack) {
    using A = TypeParam;
    for_each_kind<A>([](const table_options& options) {
        if (options.update != policy::in_place)
            return;
        auto live = live_table<A>::create(options);
        std::vector<route<A>> all{{prefix<A>{}, {1}}};
        for (std::uint32_t i = 1 << 10; i < 2 << 10; ++i) // enough that three changes are few
            all.push_back({leading<A>(i, 11), {1}});
        ASSERT_TRUE(live && live->assign(all));
        const prefix<A> first = leading<A>(0x20, 8), second = leading<A>(0x40, 8),
                        third = prefix<A>::make(leading<A>(0x60, 8).base, 11);
        auto changes = live->begin();
        ASSERT_EQ(changes.announce(first, {1}), errc::ok);
        ASSERT_EQ(changes.announce(second, {0xfffffff0}), errc::ok);
        ASSERT_EQ(changes.announce(third, {1}), errc::ok);
        const auto done = changes.commit();
        ASSERT_TRUE(done);
        EXPECT_EQ(done->changes, 3U);
        auto by = live->reader();
        ASSERT_TRUE(by);
        EXPECT_EQ(by->pin().lookup(second.last()), next_hop{0xfffffff0});
        for (const prefix<A>& p : {first, second, third})
            ASSERT_EQ(live->withdraw(p), errc::ok);
        for (const prefix<A>& p : {first, second, third})
            EXPECT_EQ(by->pin().lookup(p.last()), next_hop{1});
    });
}

// A route that comes and goes allocates nodes or groups each time, and a stalled reader holds all of them.
TYPED_TEST(Table, InPlaceAStalledReaderCostsOneVersionToo) {
    using A = TypeParam;
    for_each_kind<A>([](const table_options& options) {
        if (options.update != policy::in_place)
            return;
        auto live = live_table<A>::create(options);
        ASSERT_TRUE(live && live->assign({{prefix<A>{}, {1}}}));
        const std::size_t before = live->memory().fib;
        auto stalls = live->reader(), goes_on = live->reader();
        ASSERT_TRUE(stalls && goes_on);
        const prefix<A> flap = prefix<A>::make(A::last(), A::bits);
        {
            const auto held = stalls->pin();
            for (std::uint32_t i = 0; i < 3000; ++i) {
                ASSERT_EQ(live->announce(flap, {i % 2 + 2}), errc::ok);
                ASSERT_EQ(goes_on->pin().lookup(A::last()), next_hop{i % 2 + 2});
                ASSERT_EQ(live->withdraw(flap), errc::ok);
                ASSERT_EQ(goes_on->pin().lookup(A::last()), next_hop{1});
                ASSERT_EQ(held.lookup(A::first()), next_hop{1});
            }
            EXPECT_EQ(live->stalled().versions, 1u) << "the FIB it was in has run out of room";
            EXPECT_LE(live->memory_bytes(), 2 * before + 100'000);
        }
        live->reclaim();
        EXPECT_EQ(live->stalled().versions, 0u);
    });
}

// A deferred publication happens with the next commit, even with one that changes nothing.
TYPED_TEST(Table, ACommitOfNothingPublishesWhatWasPutOff) {
    using A = TypeParam;
    for_each_kind<A>([](table_options options) {
        if (options.update != policy::left_right)
            return;
        options.patience = std::chrono::hours(1);
        auto live = live_table<A>::create(options);
        ASSERT_TRUE(live && live->assign({{leading<A>(1, 1), {1}}}));
        auto by = live->reader();
        ASSERT_TRUE(by);
        {
            const auto held = by->pin();
            ASSERT_EQ(live->announce(leading<A>(1, 1), {2}), errc::ok);
            ASSERT_EQ(live->pending(), 0u);
            ASSERT_EQ(live->announce(leading<A>(1, 1), {3}), errc::ok);
            ASSERT_EQ(live->pending(), 1u) << "the other FIB is held";
        }
        ASSERT_EQ(live->announce(leading<A>(1, 1), {3}), errc::ok);
        EXPECT_EQ(live->pending(), 0u);
        EXPECT_EQ(by->pin().lookup(A::last()), next_hop{3});
    });
}

} // namespace
} // namespace fingerpost::testing::of_table
