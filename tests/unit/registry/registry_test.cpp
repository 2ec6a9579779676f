// Checks every statement of the registry about the schemes.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/registry/registry.hpp"
#include "tests/support/tables/tables.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_registry {
namespace {

template <class A>
class Registry : public ::testing::Test {};
using widths = ::testing::Types<address<7>, address<12>, ipv4_address, ipv6_address>;
TYPED_TEST_SUITE(Registry, widths);

TYPED_TEST(Registry, NamesAreUniqueAndFound) {
    using A = TypeParam;
    std::set<std::string_view> names;
    for (const scheme_entry<A>& one : schemes<A>()) {
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

// An operation that a scheme lacks is refused and has no effect.
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
        // A FIB of another scheme cannot be reused.
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

TEST(registry, NamesMayTellStrides) {
    using A = ipv4_address;
    const scheme_entry<A>* const found = find_scheme<A>("multibit_fixed:8-8-8-8");
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->facts.name, "multibit_fixed:8-8-8-8");
    EXPECT_FALSE(found->facts.is_standard());
    EXPECT_EQ(find_scheme<A>("multibit_fixed:8-8-8-8"), found);
    EXPECT_NE(find_scheme<A>("multibit_fixed:pushed:16-8-8"), nullptr);
    EXPECT_EQ(find_scheme<ipv6_address>("multibit_fixed:8-8-8-8"), nullptr);
    const routes<A> table(sorted<A>({{leading<A>(10, 8), {1}}, {leading<A>(0x0a0102, 24), {2}}}));
    for (const std::string_view name :
         {"multibit_fixed:8-8-8-8", "multibit_fixed:packed:20-24", "multibit_fixed:pushed:1-7-16-8"}) {
        const scheme_entry<A>* const scheme = find_scheme<A>(name);
        ASSERT_NE(scheme, nullptr) << name;
        const auto built = scheme->build(table, {});
        ASSERT_TRUE(built) << name;
        EXPECT_EQ((*built)->lookup(A{0x0a010203}), next_hop{2});
        EXPECT_EQ((*built)->lookup(A{0x0a010303}), next_hop{1});
        EXPECT_EQ((*built)->lookup(A{0x0b010303}), next_hop::none);
    }
    for (const std::string_view name :
         {"multibit_fixed:", "multibit_fixed:8-8", "multibit_fixed:8-8-8-8-8", "multibit_fixed:0-32",
          "multibit_fixed:25-7", "multibit_fixed:8--24", "multibit_fixed:8-8-8-8-", "multibit_fixed:8-8-8-x",
          "multibit_variable:8-8-8-8", "multibit_fixed:99999999999-8"})
        EXPECT_EQ(find_scheme<A>(name), nullptr) << name;
}

TEST(registry, SaysWhatIsWrongWithStrides) {
    const auto fault = [](std::string_view text) {
        const auto read = read_strides(text, 32);
        return read ? "" : read.error();
    };
    EXPECT_EQ(fault("8-8-8-8"), "");
    EXPECT_EQ(*read_strides("20-24", 32), (std::vector<std::uint8_t>{20, 12}));
    EXPECT_EQ(fault("8-8"), "strides 8-8 add up to 16 of the 32 bits of an address");
    EXPECT_EQ(fault("16-16-8"), "strides 16-16-8 exceed the 32 bits of an address");
    EXPECT_EQ(fault("8--24"), "stride '' is not a number from 1 to 24");
    EXPECT_EQ(fault("25-7"), "stride '25' is not a number from 1 to 24");
    EXPECT_EQ(fault_of_strides<ipv4_address>(schemes<ipv4_address>(), "multibit_fixed:8"),
              "strides 8 add up to 8 of the 32 bits of an address");
    EXPECT_EQ(fault_of_strides<ipv4_address>(schemes<ipv4_address>(), "planb:8"), "");
}

// Other programs may pass scheme names. These stay in memory, so their number is limited.
TEST(registry, KeepsSoManyNamesWithStrides) {
    using A = ipv4_address;
    std::size_t found = 0;
    for (unsigned i = 0; i < 3000; ++i) {
        std::string name = "multibit_fixed:";
        for (unsigned bit = 0; bit < 12; ++bit)
            name += (i >> bit & 1) != 0 ? "1-1-" : "2-";
        found += find_scheme<A>(name + "8") != nullptr ? 1 : 0;
    }
    EXPECT_GT(found, 900u);
    EXPECT_LE(found, 1024u);
}

} // namespace
} // namespace fingerpost::testing::of_registry
