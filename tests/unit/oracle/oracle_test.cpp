// Compares the oracles with each other and with a loop over all routes, and checks that verify() detects a
// wrong FIB.
#include <gtest/gtest.h>

#include <set>

#include "tests/oracle/by_length.hpp"
#include "tests/oracle/by_parent.hpp"
#include "tests/oracle/probes.hpp"
#include "tests/oracle/verify.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/tables/tables.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_oracle {
namespace {

// Longest match by its definition, which is even slower than by_length.
template <class A>
next_hop longest_match(const table<A>& routes, A a) {
    int longest = -1;
    next_hop answer = next_hop::none;
    for (const route<A>& r : routes) {
        bool inside = true;
        for (unsigned i = 0; i < r.where.length; ++i)
            inside = inside && bit_at(a, i) == bit_at(r.where.base, i);
        if (inside && r.where.length >= longest) {
            longest = r.where.length;
            answer = r.hop;
        }
    }
    return answer;
}

template <class A>
class oracles : public ::testing::Test {};
using widths = ::testing::Types<address<12>, address<32>, address<128>>;
TYPED_TEST_SUITE(oracles, widths);

TYPED_TEST(oracles, both_agree_with_the_definition) {
    random_numbers random(20);
    std::size_t checked = 0;
    for (std::size_t round = 0; round < scaled(200); ++round) {
        table<TypeParam> routes = clustered_table<TypeParam>(random, 1 + random.below(40), 5);
        std::reverse(routes.begin(), routes.end());
        const oracle::by_length<TypeParam> slow(routes);
        const oracle::by_parent<TypeParam> fast(routes);
        for (const TypeParam a : oracle::probes<TypeParam>(routes, round)) {
            const next_hop right = longest_match(routes, a);
            ASSERT_EQ(slow.lookup(a), right) << text_of(a);
            ASSERT_EQ(fast.lookup(a), right) << text_of(a);
            ++checked;
        }
    }
    EXPECT_GE(checked, scaled(200));
}

TYPED_TEST(oracles, the_last_of_two_equal_prefixes_counts) {
    const auto half = leading<TypeParam>(1, 1);
    const table<TypeParam> routes{{half, {3}}, {half, {4}}};
    EXPECT_EQ(oracle::by_length<TypeParam>(routes).lookup(TypeParam::last()), next_hop{4});
    EXPECT_EQ(oracle::by_parent<TypeParam>(routes).lookup(TypeParam::last()), next_hop{4});
    EXPECT_EQ(oracle::by_parent<TypeParam>(routes).lookup(TypeParam::first()), next_hop::none);
}

TYPED_TEST(oracles, probes_hold_every_boundary_and_its_neighbours) {
    using value = typename TypeParam::value_type;
    random_numbers random(21);
    for (std::size_t round = 0; round < scaled(100); ++round) {
        const table<TypeParam> routes = clustered_table<TypeParam>(random, random.below(30), 5);
        const auto probes = oracle::probes<TypeParam>(routes);
        std::set<value> have;
        for (const TypeParam a : probes)
            have.insert(a.value);
        ASSERT_EQ(have.size(), probes.size()) << "an address comes twice";
        ASSERT_TRUE(std::is_sorted(probes.begin(), probes.end()));
        const auto around = [&](TypeParam a) {
            EXPECT_TRUE(have.contains(a.value)) << text_of(a);
            if (a != TypeParam::first()) {
                EXPECT_TRUE(have.contains(static_cast<value>(a.value - 1))) << text_of(a);
            }
            if (a != TypeParam::last()) {
                EXPECT_TRUE(have.contains(static_cast<value>(a.value + 1))) << text_of(a);
            }
        };
        around(TypeParam::first());
        around(TypeParam::last());
        for (const auto& r : routes) {
            around(r.where.first());
            around(r.where.last());
        }
    }
}

// A FIB with one wrong answer, in the form of lookup that `wrong_batch` selects.
struct spoiled {
    oracle::by_length<address<12>> inner;
    address<12> where;
    bool wrong_batch;

    next_hop lookup(address<12> a) const {
        return a == where && !wrong_batch ? next_hop{99} : inner.lookup(a);
    }
    void lookup(std::span<const address<12>> in, std::span<next_hop> out) const {
        for (std::size_t i = 0; i < in.size(); ++i)
            out[i] = in[i] == where && wrong_batch ? next_hop{99} : inner.lookup(in[i]);
    }
};

TEST(verify, finds_one_wrong_answer_in_either_form) {
    random_numbers random(22);
    const auto routes = clustered_table<address<12>>(random, 100, 5);
    const oracle::by_length<address<12>> right(routes);
    std::vector<address<12>> all;
    for (std::uint32_t i = 0; i <= address<12>::last().value; ++i)
        all.push_back({i});
    for (const std::uint32_t place : {0U, 1U, 2047U, 4094U, 4095U})
        for (const bool batch : {false, true}) {
            const auto found = oracle::verify<address<12>>(spoiled{right, {place}, batch}, right, all);
            ASSERT_TRUE(found);
            EXPECT_EQ(found->address.value, place);
            EXPECT_EQ(found->got, next_hop{99});
            EXPECT_EQ(found->expected, right.lookup({place}));
            EXPECT_EQ(found->batch != 0, batch);
        }
    std::size_t checked = 0;
    EXPECT_FALSE(oracle::verify<address<12>>(spoiled{right, {5000}, false}, right, all, &checked));
    EXPECT_EQ(checked, 2 * all.size());
}

} // namespace
} // namespace fingerpost::testing::of_oracle
