// Every allocation of every operation fails in turn: a failed operation changes nothing, in the RIB or for
// readers, and the table stays usable.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/faults/difference.hpp"
#include "tests/faults/each_allocation.hpp"
#include "tests/oracle/by_parent.hpp"
#include "tests/support/live.hpp"
#include "tests/support/tables/tables.hpp"

namespace fingerpost::testing::of_table {
namespace {

template <class A>
using state = std::map<prefix<A>, next_hop>;

template <class A>
table<A> routes_of(const state<A>& right) {
    table<A> all;
    for (const auto& [where, hop] : right)
        all.push_back({where, hop});
    return all;
}

// A change of the table and of its model. Returns true when the table accepted it.
template <class A>
struct operation {
    std::string name;
    std::function<bool(live_table<A>&)> act;
    std::function<void(state<A>&)> model;
};

template <class A>
std::vector<operation<A>> operations(const state<A>& from, random_numbers& random) {
    std::vector<operation<A>> all;
    clustered_prefixes<A> prefixes(random);
    const auto known = [&] {
        return std::next(from.begin(), static_cast<long>(random.below(from.size())))->first;
    };
    const auto announce = [&](const prefix<A>& p) {
        all.push_back({"announce /" + std::to_string(p.length),
                       [p](live_table<A>& t) { return t.announce(p, {77}) == errc::ok; },
                       [p](state<A>& s) { s[p] = {77}; }});
    };
    announce(prefix<A>{});
    announce(known());
    for (unsigned i = 0; i < 4; ++i)
        announce(prefixes.next());
    for (unsigned i = 0; i < 3; ++i) {
        const prefix<A> p = known();
        all.push_back({"withdraw", [p](live_table<A>& t) { return t.withdraw(p) == errc::ok; },
                       [p](state<A>& s) { s.erase(p); }});
    }
    state<A> next = from;
    for (unsigned i = 0; i < 12; ++i)
        next[prefixes.next()] = {i};
    for (unsigned i = 0; i < 12; ++i)
        next.erase(known());
    const auto edits = [from, next](auto set) {
        for (const auto& [where, hop] : next)
            if (!set(where, hop))
                return false;
        for (const auto& [where, hop] : from)
            if (!next.contains(where) && !set(where, next_hop::none))
                return false;
        return true;
    };
    all.push_back({"transaction",
                   [edits](live_table<A>& t) {
                       auto changes = t.begin();
                       return edits([&](const prefix<A>& p, next_hop hop) {
                                  return (hop == next_hop::none ? changes.withdraw(p)
                                                                : changes.announce(p, hop)) == errc::ok;
                              }) &&
                              changes.commit().has_value();
                   },
                   [next](state<A>& s) { s = next; }});
    all.push_back({"replace_all",
                   [r = routes_of<A>(next)](live_table<A>& t) {
                       try {
                           return t.replace_all(r).has_value();
                       } catch (const std::exception&) {
                           return false; // the copied argument
                       }
                   },
                   [next](state<A>& s) { s = next; }});
    all.push_back({"assign",
                   [r = routes_of<A>(next)](live_table<A>& t) {
                       try {
                           return t.assign(r).has_value();
                       } catch (const std::exception&) {
                           return false;
                       }
                   },
                   [next](state<A>& s) { s = next; }});
    all.push_back({"withdraw everything",
                   [r = table<A>()](live_table<A>& t) { return t.replace_all(r).has_value(); },
                   [](state<A>& s) { s.clear(); }});
    return all;
}

template <class A>
class Faults : public over_schemes<A> {};
using widths = ::testing::Types<address<12>, address<128>>;
TYPED_TEST_SUITE(Faults, widths);

TYPED_TEST(Faults, WhatFailsHasNotHappened) {
    using A = TypeParam;
    std::size_t failures = 0, survived = 0;
    for_each_kind<A>([&](const table_options& options) {
        random_numbers random(A::bits);
        state<A> from;
        for (const route<A>& r : clustered_table<A>(random, 70, 6))
            from[r.where] = r.hop;
        auto live = live_table<A>::create(options);
        ASSERT_TRUE(live && live->assign(routes_of<A>(from)));
        auto by = live->reader();
        ASSERT_TRUE(by);
        for (const operation<A>& one : operations<A>(from, random)) {
            SCOPED_TRACE(one.name);
            failures +=
                fail_each_allocation([&] { return one.act(*live); },
                                     [&](const attempt& made) {
                                         state<A> right = from;
                                         if (made.done)
                                             one.model(right);
                                         ASSERT_EQ(difference<A>(*live, *by, routes_of<A>(right)), "")
                                             << (made.done ? "done" : "failed");
                                         ASSERT_EQ(live->pending(), 0u);
                                         if (made.done) {
                                             ASSERT_TRUE(live->replace_all(routes_of<A>(from)));
                                             ASSERT_EQ(difference<A>(*live, *by, routes_of<A>(from)), "");
                                         }
                                         survived += made.done && made.failed_once ? 1 : 0;
                                     });
        }
    });
    EXPECT_GE(failures, chosen_schemes<A>().size());
    this->RecordProperty("failures", std::to_string(failures));
    this->RecordProperty("survived", std::to_string(survived));
}

// When a commit fails, exactly its own changes are removed from the list of pending changes.
TYPED_TEST(Faults, AFailedCommitForgetsNothingThatWasPutOff) {
    using A = TypeParam;
    std::size_t kinds = 0, failures = 0;
    for_each_kind<A>([&](table_options options) {
        if (options.update != policy::left_right)
            return;
        ++kinds;
        options.patience = std::chrono::hours(1);
        random_numbers random(A::bits);
        const table<A> from = clustered_table<A>(random, 70, 6);
        const prefix<A> p = from.back().where;
        // Prefixes before and after `p` in prefix order, so that the list must be sorted.
        const prefix<A> before = prefix<A>::make(A::first(), A::bits);
        const prefix<A> after = prefix<A>::make(A::last(), A::bits);
        for (const prefix<A>& failing : {p, before, after}) {
            std::size_t number = 0;
            for (bool failed = true; failed; number += all_samples() ? 1 : 1 + number / 4) {
                auto live = live_table<A>::create(options);
                ASSERT_TRUE(live && live->assign(from));
                auto by = live->reader();
                auto slow = live->reader();
                ASSERT_TRUE(by && slow);
                {
                    const auto held = slow->pin();
                    ASSERT_EQ(live->announce(after, {6}), errc::ok);
                    ASSERT_EQ(live->announce(p, {7}), errc::ok);
                    ASSERT_NE(live->pending(), 0u);
                }
                errc code = errc::ok;
                {
                    const failing_allocations armed(number, fault::from_then_on);
                    code = live->announce(failing, {300});
                    failed = armed.happened();
                }
                state<A> right;
                for (const route<A>& r : from)
                    right[r.where] = r.hop;
                right[after] = {6};
                right[p] = {7};
                if (code == errc::ok)
                    right[failing] = {300};
                else
                    ++failures;
                ASSERT_TRUE(live->publish());
                ASSERT_EQ(live->pending(), 0u);
                ASSERT_EQ(difference<A>(*live, *by, routes_of<A>(right)), "") << "allocation " << number;
            }
        }
    });
    EXPECT_GE(failures, kinds);
}

// Every allocation of the schemes' own apply() fails in turn. It must report the failure; then the FIB is
// destroyed, as the concept requires, and nothing leaks or is freed twice.
TYPED_TEST(Faults, SchemesSayThatMemoryRanOut) {
    using A = TypeParam;
    // When a change allocates dozens of times, fewer changes are enough: each failure causes a rebuild.
    const std::size_t enough_failures = all_samples() ? 2000 : 300;
    const unsigned least_changes = all_samples() ? 20 : 5, most_changes = all_samples() ? 400 : 100;
    std::size_t failures = 0, built_anew = 0;
    for (const scheme_entry<A>& scheme : chosen_schemes<A>()) {
        if (!scheme.patchable)
            continue;
        const std::size_t failures_before = failures;
        SCOPED_TRACE(std::string(scheme.facts.name));
        random_numbers random(5);
        rib<A> truth;
        const auto start = clustered_table<A>(random, 70, 6);
        ASSERT_TRUE(truth.assign(start));
        auto fib = scheme.build(truth.to_routes(), {});
        ASSERT_TRUE(fib);
        clustered_prefixes<A> prefixes(random);
        for (unsigned i = 0;
             i < least_changes || (i < most_changes && failures - failures_before < enough_failures); ++i) {
            const auto old = truth.to_routes();
            const bool leave = truth.size() > 70;
            const prefix<A> p = leave ? old.sorted()[random.below(old.size())].where : prefixes.next();
            const auto told =
                leave ? truth.withdraw(p) : truth.announce(p, {static_cast<std::uint32_t>(random.below(6))});
            ASSERT_TRUE(told);
            for (std::size_t number = 0;; ++number) {
                errc done = errc::ok;
                bool met_fault = false;
                const attempt made{number % 2 == 0 ? fault::from_then_on : fault::by_length, false, false, 0};
                {
                    const failing_allocations armed(number / 2, made.kind);
                    done = (*fib)->apply(*told);
                    met_fault = failing_allocations::happened();
                }
                if (done == errc::capacity && !met_fault) { // a rebuild for another reason
                    fib = scheme.build(truth.to_routes(), {});
                    ASSERT_TRUE(fib);
                    ++built_anew;
                    break;
                }
                if (done == errc::ok && made.kind == fault::from_then_on)
                    break;
                if (done == errc::ok)
                    continue;
                ++failures;
                ASSERT_TRUE(made.is_reason(done)) << static_cast<int>(done);
                fib = scheme.build(old, {});
                ASSERT_TRUE(fib);
            }
            const auto now = truth.to_routes();
            const oracle::by_parent<A> after(now.sorted());
            for (const A a : oracle::probes<A>(now.sorted()))
                ASSERT_EQ((*fib)->lookup(a), after.lookup(a)) << text_of(a);
        }
    }
    this->RecordProperty("failures", std::to_string(failures));
    this->RecordProperty("built_anew", std::to_string(built_anew));
}

// Two FIBs share words. When an allocation fails in the standby FIB, readers of the other FIB see nothing of
// it, and both can continue with a new FIB.
TEST(FaultsInSharedWords, ReadersOfTheOtherFibSeeNothingOfThem) {
    using A = ipv4_address;
    const scheme_entry<A>& scheme = *find_scheme<A>("ranked_cells");
    random_numbers random(9);
    clustered_prefixes<A> prefixes(random);
    rib<A> truth;
    ASSERT_TRUE(truth.assign(clustered_table<A>(random, 90, 6)));
    const auto build = [&](const routes<A>& all) {
        auto made = scheme.build(all, {});
        EXPECT_TRUE(made);
        return std::move(*made);
    };
    auto read = build(truth.to_routes());
    auto standby = build(routes<A>());
    std::size_t failures = 0;
    for (unsigned turn = 0; turn < 12; ++turn) {
        const routes<A> before = truth.to_routes();
        std::vector<change<A>> changes;
        for (std::size_t i = 0; i <= turn; ++i)
            if (const auto told = i % 2 == 0
                                      ? truth.announce(prefixes.next(), {static_cast<std::uint32_t>(i)})
                                      : truth.withdraw(before.sorted()[i].where))
                changes.push_back(*told);
        const auto expect_right = [](const any_fib<A>& fib, const routes<A>& all) {
            const oracle::by_parent<A> right(all.sorted());
            for (const A a : oracle::probes<A>(all.sorted()))
                ASSERT_EQ(fib.lookup(a), right.lookup(a)) << text_of(a);
        };
        const auto take_turn = [&] {
            if (standby->sync_from(*read) != errc::ok)
                return false;
            return std::all_of(changes.begin(), changes.end(),
                               [&](const auto& c) { return standby->apply(c) == errc::ok; });
        };
        for (std::size_t number = 0;; ++number) {
            bool done = false;
            // Even attempts fail with bad_alloc, odd ones with length_error. The table must report both
            // alike.
            const fault kind = number % 2 == 0 ? fault::from_then_on : fault::by_length;
            {
                const failing_allocations armed(number / 2, kind);
                done = take_turn();
            }
            ASSERT_NO_FATAL_FAILURE(expect_right(*read, before))
                << "turn " << turn << ", allocation " << number;
            if (done)
                break;
            ++failures;
            standby.reset();
            ASSERT_NO_FATAL_FAILURE(expect_right(*read, before));
            standby = std::move(read);
            read = build(before);
        }
        standby->begin_publish();
        ASSERT_NO_FATAL_FAILURE(expect_right(*read, before));
        ASSERT_NO_FATAL_FAILURE(expect_right(*standby, truth.to_routes()));
        std::swap(read, standby);
    }
    EXPECT_GE(failures, 12u);
}

// The list of old versions grows with the number of readers that hold them. When it cannot grow, publication
// is deferred as for stalled readers, and nothing is lost.
TEST(FaultsOfManyReaders, WithoutMemoryToNoteAnOldVersionPublicationIsPutOff) {
    using A = ipv6_address;
    table_options options;
    options.update = policy::rebuild;
    options.most_old_versions = ~std::size_t{0};
    auto live = live_table<A>::create(options);
    ASSERT_TRUE(live);
    std::vector<reader<A>> readers;
    std::vector<snapshot<A>> held;
    std::vector<next_hop> seen;
    constexpr std::uint32_t versions = 80;
    readers.reserve(versions);
    const prefix<A> where{};
    std::size_t deferred = 0;
    for (std::uint32_t i = 0; i < versions; ++i) {
        auto by = live->reader();
        ASSERT_TRUE(by);
        readers.push_back(std::move(*by));
        held.push_back(readers.back().pin());
        seen.push_back(live->get(where));
        // Growing the full list is the first allocation of a publication.
        errc done = errc::ok;
        {
            const failing_allocations armed(0, fault::once);
            done = live->announce(where, {i});
        }
        ASSERT_EQ(live->get(where) == next_hop{i}, done == errc::ok);
        deferred += live->pending() > 0 ? 1 : 0;
        if (done != errc::ok)
            done = live->announce(where, {i});
        ASSERT_EQ(done, errc::ok);
        ASSERT_TRUE(live->publish());
        ASSERT_EQ(live->pending(), 0u);
    }
    EXPECT_GE(deferred, 1u);
    EXPECT_EQ(live->stalled().versions, versions);
    for (std::uint32_t i = 0; i < versions; ++i)
        ASSERT_EQ(held[i].lookup(A::last()), seen[i]) << i;
}

} // namespace
} // namespace fingerpost::testing::of_table
