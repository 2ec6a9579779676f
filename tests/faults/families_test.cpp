// Every allocation of a commit that changes both families fails in turn: a failed commit changes neither
// family, in the RIB or for readers.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/faults/difference.hpp"
#include "tests/faults/each_allocation.hpp"

namespace fingerpost::testing::of_faults_in_families {
namespace {

// The routes before and after a change.
template <class A>
struct family {
    family() {
        random_numbers random(A::bits);
        before = clustered_table<A>(random, 60, 6);
        after = clustered_table<A>(random, 60, 6);
        // Some routes stay and some change their next hop.
        after.insert(after.end(), before.begin(), before.begin() + 20);
        for (std::size_t i = 0; i < 10; ++i)
            after[after.size() - 1 - i].hop = {77};
        EXPECT_TRUE(put_in_order(after));
    }
    bool fill(transaction<ipv4_address, ipv6_address>& with) const {
        std::vector<edit<A>> edits;
        for (const route<A>& one : before)
            edits.push_back({one.where, next_hop::none});
        for (const route<A>& one : after)
            edits.push_back({one.where, one.hop});
        return with.change(edits).failure == errc::ok;
    }

    table<A> before, after;
};

struct both_families {
    explicit both_families(const table_options& options)
        : live(ip_table::create(options)), by(live->reader()) {
        EXPECT_TRUE(live->assign(four.before, six.before));
    }
    std::string difference(const table<ipv4_address>& right4, const table<ipv6_address>& right6) {
        return testing::difference<ipv4_address>(*live, *by, right4) +
               testing::difference<ipv6_address>(*live, *by, right6);
    }

    family<ipv4_address> four;
    family<ipv6_address> six;
    expected<ip_table> live;
    expected<reader<ipv4_address, ipv6_address>> by;
};

std::string name_of(const table_options& options) {
    return std::string(options.scheme) + " policy " + std::to_string(static_cast<int>(options.update));
}

// For each policy the first scheme that serves both families, and one that serves IPv4 only, which gives the
// families different policies.
std::vector<table_options> one_of_each_policy() {
    std::vector<table_options> kinds;
    const auto add = [&](policy how, auto is_wanted) {
        for (const auto& scheme : schemes<ipv4_address>())
            if (!scheme.facts.large_when_empty &&
                is_wanted(scheme, find_scheme<ipv6_address>(scheme.facts.name))) {
                table_options& options = kinds.emplace_back();
                options.scheme = scheme.facts.name;
                options.update = how;
                return;
            }
    };
    for (const policy how : every_policy)
        add(how, [how](const auto& scheme, const auto* other) {
            return other != nullptr && fits(scheme, how) && fits(*other, how);
        });
    add(policy::automatic,
        [](const auto& scheme, const auto* other) { return other == nullptr && !scheme.patchable; });
    return kinds;
}

struct operation {
    std::string name;
    std::function<bool(both_families&)> act;
    bool empties = false;
};

const operation operations[] = {
    {"commit",
     [](both_families& of) {
         auto changes = of.live->begin();
         return of.four.fill(changes) && of.six.fill(changes) && changes.commit().has_value();
     }},
    {"replace_all",
     [](both_families& of) { return of.live->replace_all(of.four.after, of.six.after).has_value(); }},
    {"assign", [](both_families& of) { return of.live->assign(of.four.after, of.six.after).has_value(); }},
    {"clear", [](both_families& of) { return of.live->replace_all({}, {}).has_value(); }, true},
};

// Returns false also when memory ran out for the arguments.
bool attempted(const operation& one, both_families& of) {
    try {
        return one.act(of);
    } catch (const std::exception&) {
        return false;
    }
}

TEST(faults_in_families, what_fails_has_changed_neither) {
    const auto kinds = one_of_each_policy();
    ASSERT_GE(kinds.size(), every_policy.size());
    for (const table_options& options : kinds) {
        SCOPED_TRACE(name_of(options));
        both_families of(options);
        for (const operation& one : operations) {
            SCOPED_TRACE(one.name);
            const auto check = [&](const attempt& made) {
                const bool is_before = !made.done || one.empties;
                const auto right4 = is_before ? of.four.before : of.four.after;
                const auto right6 = is_before ? of.six.before : of.six.after;
                const bool is_empty = made.done && one.empties;
                ASSERT_EQ(is_empty ? of.difference({}, {}) : of.difference(right4, right6), "")
                    << (made.done ? "done" : "failed");
                ASSERT_EQ(of.live->pending(), 0U);
                if (!made.done)
                    return;
                ASSERT_TRUE(of.live->replace_all(of.four.before, of.six.before));
                ASSERT_EQ(of.difference(of.four.before, of.six.before), "");
            };
            const std::size_t failures = fail_each_allocation([&] { return attempted(one, of); }, check);
            ASSERT_GE(failures, 4U);
        }
    }
}

// With held commits: a failure leaves the pending changes unchanged.
TEST(faults_in_families, what_fails_leaves_what_waits_for_publication) {
    for (table_options options : one_of_each_policy()) {
        options.publish_on_commit = false;
        SCOPED_TRACE(name_of(options));
        both_families of(options);
        const auto ten = ipv4_prefix::make({10U << 24}, 8);
        ASSERT_EQ(of.live->announce(ten, {5}), errc::ok);
        auto with_ten = of.four.before;
        with_ten.push_back({ten, {5}});
        ASSERT_TRUE(put_in_order(with_ten));
        const std::size_t failures =
            fail_each_allocation([&] { return attempted(operations[0], of); },
                                 [&](const attempt& made) {
                                     if (made.done) {
                                         ASSERT_TRUE(of.live->replace_all(with_ten, of.six.before));
                                         return;
                                     }
                                     ASSERT_EQ(of.live->of<ipv4_address>().copy_routes(), with_ten);
                                     ASSERT_EQ(of.live->of<ipv6_address>().copy_routes(), of.six.before);
                                     ASSERT_GE(of.live->pending(), 1U);
                                 });
        EXPECT_GE(failures, 4U);
        ASSERT_TRUE(of.live->publish());
        EXPECT_EQ(of.difference(with_ten, of.six.before), "");
    }
}

} // namespace
} // namespace fingerpost::testing::of_faults_in_families
