// A table whose scheme changes while the writer continues, for every scheme and policy. With readers:
// tests/concurrency/scheme_change_test.cpp.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "tests/oracle/by_length.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/live.hpp"
#include "tests/support/tables/tables.hpp"

namespace fingerpost::testing::of_scheme_change {
namespace {

template <class A>
class SchemeChange : public over_schemes<A> {};
using widths = ::testing::Types<address<12>, address<32>, address<128>>;
TYPED_TEST_SUITE(SchemeChange, widths);

// A live table of the default scheme, and its expected routes.
template <class A>
class changing_table {
  public:
    explicit changing_table(const table_options& options = {}, unsigned routes = 60)
        : random_(17), prefixes_(random_) {
        auto made = live_table<A>::create(options);
        EXPECT_TRUE(made);
        live_.emplace(std::move(*made));
        for (unsigned i = 0; i < routes; ++i)
            change();
    }
    live_table<A>& live() { return *live_; }

    // Announces, changes or withdraws one route.
    void change() {
        const prefix<A> p = prefixes_.next();
        if (const auto known = right_.find(p); known != right_.end() && random_.below(2) == 0) {
            EXPECT_EQ(live_->withdraw(p), errc::ok);
            right_.erase(known);
            return;
        }
        const next_hop hop{static_cast<std::uint32_t>(random_.below(9))};
        EXPECT_EQ(live_->announce(p, hop), errc::ok);
        right_[p] = hop;
    }
    void expect_answers() {
        std::vector<route<A>> all;
        for (const auto& [where, hop] : right_)
            all.push_back({where, hop});
        const oracle::by_length<A> truth{std::span<const route<A>>(all)};
        auto by = live_->reader();
        ASSERT_TRUE(by);
        const auto now = by->pin();
        for (const route<A>& r : all)
            for (const A a : {r.where.first(), r.where.last()})
                ASSERT_EQ(now.lookup(a), truth.lookup(a)) << text_of(a);
        ASSERT_EQ(now.lookup(A::last()), truth.lookup(A::last()));
        ASSERT_EQ(live_->size(), all.size());
    }

  private:
    random_numbers random_;
    clustered_prefixes<A> prefixes_;
    std::optional<live_table<A>> live_;
    std::map<prefix<A>, next_hop> right_;
};

TYPED_TEST(SchemeChange, EverySchemeTakesOverWithWhatChangedMeanwhile) {
    using A = TypeParam;
    std::size_t kinds = 0;
    for_each_kind<A>([&](const table_options& options) {
        ++kinds;
        changing_table<A> in;
        const scheme_entry<A>& to = *find_scheme<A>(options.scheme);
        auto next = in.live().begin_scheme(to, options.update);
        ASSERT_TRUE(next);
        for (int i = 0; i < 20; ++i)
            in.change();
        ASSERT_EQ(next->build(), errc::ok);
        for (int i = 0; i < 20; ++i)
            in.change();
        const std::uint64_t before = in.live().version();
        const auto done = in.live().finish_scheme(*next);
        ASSERT_TRUE(done);
        ASSERT_EQ(done->state, publish_state::published);
        ASSERT_GT(done->version, before);
        ASSERT_EQ(&in.live().scheme(), &to);
        ASSERT_EQ(in.live().update_policy(), options.update);
        ASSERT_NO_FATAL_FAILURE(in.expect_answers());
        for (int i = 0; i < 20; ++i) {
            in.change();
            ASSERT_NO_FATAL_FAILURE(in.expect_answers());
        }
        ASSERT_EQ(in.live().pending(), 0u);
        in.live().reclaim();
        ASSERT_EQ(in.live().stalled().versions, 0u);
        // Then back to the default scheme.
        auto back = in.live().begin_scheme(default_scheme<A>());
        ASSERT_TRUE(back);
        ASSERT_EQ(back->build(), errc::ok);
        ASSERT_TRUE(in.live().finish_scheme(*back));
        in.change();
        ASSERT_NO_FATAL_FAILURE(in.expect_answers());
    });
    EXPECT_GE(kinds, 1u);
}

TYPED_TEST(SchemeChange, ATableThatWasReplacedIsBuiltAnew) {
    using A = TypeParam;
    for_each_kind<A>([&](const table_options& options) {
        changing_table<A> in;
        auto next = in.live().begin_scheme(*find_scheme<A>(options.scheme), options.update);
        ASSERT_TRUE(next);
        ASSERT_EQ(next->build(), errc::ok);
        const prefix<A> only = leading<A>(1, 2);
        ASSERT_TRUE(in.live().assign({{only, {4}}}));
        ASSERT_TRUE(in.live().finish_scheme(*next));
        auto by = in.live().reader();
        ASSERT_TRUE(by);
        EXPECT_EQ(by->pin().lookup(only.last()), next_hop{4});
        EXPECT_EQ(by->pin().lookup(A::last()), next_hop::none);
    });
}

TYPED_TEST(SchemeChange, WhatIsNotTheLastBegunIsRefused) {
    using A = TypeParam;
    changing_table<A> in;
    const scheme_entry<A>& same = default_scheme<A>();
    auto first = in.live().begin_scheme(same);
    auto second = in.live().begin_scheme(same);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(in.live().finish_scheme(*second).error(), errc::invalid) << "not built";
    ASSERT_EQ(first->build(), errc::ok);
    ASSERT_EQ(second->build(), errc::ok);
    EXPECT_EQ(in.live().finish_scheme(*first).error(), errc::invalid);
    EXPECT_TRUE(in.live().finish_scheme(*second));
    EXPECT_EQ(in.live().finish_scheme(*second).error(), errc::invalid) << "a second time";
    in.expect_answers();
}

TYPED_TEST(SchemeChange, StalledReadersPutItOff) {
    using A = TypeParam;
    table_options options;
    options.update = policy::rebuild;
    options.most_old_versions = 1;
    changing_table<A> in(options, 6);
    auto by = in.live().reader();
    ASSERT_TRUE(by);
    std::optional<snapshot<A>> held(by->pin());
    const std::uint64_t seen = in.live().version();
    while (in.live().version() == seen) // a change may have no effect
        in.change();
    auto next = in.live().begin_scheme(default_scheme<A>(), policy::rebuild);
    ASSERT_TRUE(next);
    ASSERT_EQ(next->build(), errc::ok);
    const auto waits = in.live().finish_scheme(*next);
    ASSERT_TRUE(waits);
    EXPECT_EQ(waits->state, publish_state::deferred);
    held.reset();
    const auto done = in.live().finish_scheme(*next);
    ASSERT_TRUE(done);
    EXPECT_EQ(done->state, publish_state::published);
    in.expect_answers();
}

} // namespace
} // namespace fingerpost::testing::of_scheme_change
