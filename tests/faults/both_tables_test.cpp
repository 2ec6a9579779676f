// Memory runs out at every allocation of a commit that changes two tables: what fails has changed neither of
// them, in the RIB and for readers.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/faults/difference.hpp"
#include "tests/faults/each_allocation.hpp"
#include "tests/support/effort.hpp"

namespace fingerpost::testing::of_faults_in_both_tables {
namespace {

// A table, its reader and routes that it gets in turn.
template <class A>
struct family {
    explicit family(const table_options& options)
        : live(live_table<A>::create(options)), by(live->reader()), random(A::bits) {
        before = clustered_table<A>(random, 60, 6);
        after = clustered_table<A>(random, 60, 6);
        // Some routes stay and some change their next hop.
        after.insert(after.end(), before.begin(), before.begin() + 20);
        for (std::size_t i = 0; i < 10; ++i)
            after[after.size() - 1 - i].hop = {77};
        EXPECT_TRUE(put_in_order(after));
        EXPECT_TRUE(live->assign(before));
    }

    std::string difference(const table<A>& right) { return testing::difference<A>(*live, *by, right); }
    bool fill(transaction<A>& with) const {
        std::vector<edit<A>> edits;
        for (const route<A>& one : before)
            edits.push_back({one.where, next_hop::none});
        for (const route<A>& one : after)
            edits.push_back({one.where, one.hop});
        return with.change(edits).failure == errc::ok;
    }

    expected<live_table<A>> live;
    expected<reader<A>> by;
    random_numbers random;
    table<A> before, after;
};

std::string name_of(const table_options& options) {
    return std::string(options.scheme) + " policy " + std::to_string(static_cast<int>(options.update));
}

// The first scheme of each policy, in both families.
std::vector<table_options> one_of_each_policy() {
    std::vector<table_options> all;
    for (const policy how : every_policy)
        for (const auto& scheme : schemes<ipv4_address>()) {
            const auto* const other = find_scheme<ipv6_address>(scheme.facts.name);
            if (other == nullptr || scheme.facts.large_when_empty || !fits(scheme, how) || !fits(*other, how))
                continue;
            table_options options;
            options.scheme = scheme.facts.name;
            options.update = how;
            all.push_back(options);
            break;
        }
    return all;
}

struct operation {
    std::string name;
    std::function<bool(family<ipv4_address>&, family<ipv6_address>&)> act;
    bool empties = false;
};

const operation operations[] = {
    {"commit_both",
     [](auto& four, auto& six) {
         auto changes4 = four.live->begin();
         auto changes6 = six.live->begin();
         return four.fill(changes4) && six.fill(changes6) && commit_both(changes4, changes6).has_value();
     }},
    {"replace_both",
     [](auto& four, auto& six) {
         return replace_both(*four.live, four.after, *six.live, six.after).has_value();
     }},
    {"clear", [](auto& four, auto& six) { return replace_both(*four.live, {}, *six.live, {}).has_value(); },
     true},
};

// False as well when memory ran out for the arguments.
bool attempted(const operation& one, family<ipv4_address>& four, family<ipv6_address>& six) {
    try {
        return one.act(four, six);
    } catch (const std::exception&) {
        return false;
    }
}

TEST(faults_in_both_tables, what_fails_has_changed_neither) {
    const auto kinds = one_of_each_policy();
    ASSERT_EQ(kinds.size(), every_policy.size());
    for (std::size_t i = 0; i < kinds.size(); ++i)
        for (std::size_t j = 0; j < kinds.size(); ++j) {
            // Each policy with one other, once for each family; with all samples all pairs.
            if (!all_samples() && j != (i + 1) % kinds.size())
                continue;
            const table_options &of4 = kinds[i], &of6 = kinds[j];
            SCOPED_TRACE(name_of(of4) + ", " + name_of(of6));
            family<ipv4_address> four(of4);
            family<ipv6_address> six(of6);
            for (const operation& one : operations) {
                SCOPED_TRACE(one.name);
                const auto check = [&](const attempt& made) {
                    const auto none4 = decltype(four.after)();
                    const auto none6 = decltype(six.after)();
                    const auto& right4 = !made.done ? four.before : one.empties ? none4 : four.after;
                    const auto& right6 = !made.done ? six.before : one.empties ? none6 : six.after;
                    ASSERT_EQ(four.difference(right4), "") << (made.done ? "done" : "failed");
                    ASSERT_EQ(six.difference(right6), "") << (made.done ? "done" : "failed");
                    ASSERT_EQ(four.live->pending() + six.live->pending(), 0U);
                    if (!made.done)
                        return;
                    // An empty table is built at once.
                    ASSERT_TRUE(replace_both(*four.live, four.before, *six.live, six.before));
                    ASSERT_EQ(four.difference(four.before) + six.difference(six.before), "");
                };
                const std::size_t failures =
                    fail_each_allocation([&] { return attempted(one, four, six); }, check);
                ASSERT_GE(failures, 4U);
            }
        }
}

// With commits that readers do not see: a failure leaves the changes that wait as they are.
TEST(faults_in_both_tables, what_fails_leaves_what_waits_for_publication) {
    for (table_options options : one_of_each_policy()) {
        options.publish_on_commit = false;
        SCOPED_TRACE(name_of(options));
        family<ipv4_address> four(options);
        family<ipv6_address> six(options);
        const auto ten = ipv4_prefix::make({10U << 24}, 8);
        ASSERT_EQ(four.live->announce(ten, {5}), errc::ok);
        auto with_ten = four.before;
        with_ten.push_back({ten, {5}});
        ASSERT_TRUE(put_in_order(with_ten));
        const operation& commit = operations[0];
        const std::size_t failures = fail_each_allocation(
            [&] { return attempted(commit, four, six); },
            [&](const attempt& made) {
                if (made.done) {
                    ASSERT_TRUE(replace_both(*four.live, with_ten, *six.live, six.before));
                    return;
                }
                ASSERT_EQ(four.live->copy_routes(), with_ten);
                ASSERT_EQ(six.live->copy_routes(), six.before);
                ASSERT_GE(four.live->pending(), 1U);
            });
        EXPECT_GE(failures, 4U);
        ASSERT_TRUE(four.live->publish());
        ASSERT_TRUE(six.live->publish());
        EXPECT_EQ(four.difference(with_ten) + six.difference(six.before), "");
    }
}

} // namespace
} // namespace fingerpost::testing::of_faults_in_both_tables
