// What the registry says of the schemes holds.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

#include "fingerpost/registry/registry.hpp"
#include "tests/forms/hidden_forms.hpp"

namespace fingerpost::testing {
namespace {

template <class A>
class Registry : public ::testing::Test {};
using widths = ::testing::Types<address<3>, address<12>, ipv4_address, address<64>, ipv6_address>;
TYPED_TEST_SUITE(Registry, widths);

TYPED_TEST(Registry, NamesAreUniqueAndFound) {
    using A = TypeParam;
    std::set<std::string_view> names;
    for (const scheme_entry<A>& one : schemes_and_forms<A>()) {
        SCOPED_TRACE(std::string(one.facts.name));
        EXPECT_FALSE(one.facts.name.empty());
        EXPECT_EQ(one.facts.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_:"),
                  std::string_view::npos);
        EXPECT_TRUE(names.insert(one.facts.name).second);
        if (!one.facts.old_name.empty()) {
            EXPECT_TRUE(names.insert(one.facts.old_name).second);
        }
    }
    for (const scheme_entry<A>& one : schemes<A>()) {
        EXPECT_EQ(find_scheme<A>(one.facts.name), &one);
        if (!one.facts.old_name.empty()) {
            EXPECT_EQ(find_scheme<A>(one.facts.old_name), &one);
        }
    }
    EXPECT_EQ(find_scheme<A>(""), nullptr);
    EXPECT_EQ(find_scheme<A>("no such scheme"), nullptr);
}

TYPED_TEST(Registry, FactsAreTrue) {
    using A = TypeParam;
    for (const scheme_entry<A>& one : schemes<A>()) {
        SCOPED_TRACE(std::string(one.facts.name));
        EXPECT_FALSE(one.facts.summary.empty());
        EXPECT_FALSE(one.facts.source.empty());
        EXPECT_GE(one.facts.widest, A::bits);
        EXPECT_EQ(one.build_in_place != nullptr, one.patchable_in_place);
        EXPECT_EQ(one.open != nullptr, one.saveable);
        EXPECT_LE(one.patchable_in_place || one.syncable, one.patchable);
        ASSERT_NE(one.build, nullptr);
        const auto empty = one.build(routes<A>(), {});
        ASSERT_TRUE(empty);
        EXPECT_EQ((*empty)->memory_bytes() > std::size_t{1} << 20, one.facts.large_when_empty);
    }
}

TYPED_TEST(Registry, TheDefaultCanBeChangedAndSaved) {
    using A = TypeParam;
    if (A::bits != 32 && A::bits != 128)
        GTEST_SKIP() << "a build may leave schemes out of the widths that only tests use";
    EXPECT_TRUE(default_scheme<A>().patchable);
    EXPECT_TRUE(default_scheme<A>().saveable);
    EXPECT_TRUE(default_scheme<A>().facts.is_standard());
    EXPECT_EQ(baseline_scheme<A>().facts.role, scheme_role::baseline);
    std::size_t baselines = 0;
    for (const scheme_entry<A>& one : schemes<A>())
        baselines += one.facts.role == scheme_role::baseline ? 1 : 0;
    EXPECT_EQ(baselines, 1u);
}

// What a scheme lacks is refused, and nothing happens.
TYPED_TEST(Registry, WhatASchemeLacksItRefuses) {
    using A = TypeParam;
    for (const scheme_entry<A>& one : schemes<A>()) {
        SCOPED_TRACE(std::string(one.facts.name));
        auto fib = one.build(routes<A>(), {});
        auto other = one.build(routes<A>(), {});
        ASSERT_TRUE(fib && other);
        if (!one.patchable) {
            EXPECT_EQ((*fib)->apply({}), errc::unsupported);
        }
        if (!one.patchable_in_place) {
            EXPECT_EQ((*fib)->apply_in_place({}, 1), errc::unsupported);
            EXPECT_EQ((*fib)->room(), 0u);
        }
        if (!one.syncable) {
            EXPECT_EQ((*fib)->sync_from(**other), errc::unsupported);
        }
        // A FIB of another scheme is none to take over from.
        for (const scheme_entry<A>& another : schemes<A>()) {
            if (&another == &one || another.facts.large_when_empty)
                continue;
            auto foreign = another.build(routes<A>(), {});
            ASSERT_TRUE(foreign);
            EXPECT_EQ((*fib)->sync_from(**foreign), errc::unsupported) << another.facts.name;
        }
        EXPECT_EQ((*fib)->lookup(A{}), next_hop::none);
    }
}

} // namespace
} // namespace fingerpost::testing
