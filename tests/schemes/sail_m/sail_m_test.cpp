// SAIL_M with several FIBs in one structure, which the general suites do not build.
#include <gtest/gtest.h>

#include <vector>

#include "fingerpost/schemes/sail_m/sail_m.hpp"
#include "tests/support/suite.hpp"

namespace fingerpost::testing::of_sail_m {
namespace {

template <class A>
class SailM : public ::testing::Test {};
using widths = ::testing::Types<address<12>, ipv4_address, ipv6_address>;
TYPED_TEST_SUITE(SailM, widths);

// Each FIB answers for its own table, by single lookups and in batches.
TYPED_TEST(SailM, AnswersForEachOfItsFibs) {
    using A = TypeParam;
    random_numbers random(21);
    std::vector<table<A>> tables;
    for (const std::size_t size : {0U, 1U, 20U, 200U})
        tables.push_back(clustered_table<A>(random, size, 5));
    std::vector<routes<A>> each;
    std::vector<const routes<A>*> all;
    for (const table<A>& one : tables)
        each.emplace_back(one);
    for (const routes<A>& one : each)
        all.push_back(&one);
    const auto fib = sail_m::fib<A>::overlay(all);
    ASSERT_TRUE(fib);
    ASSERT_EQ(fib->fibs(), tables.size());
    // Every FIB is queried at the boundaries of all tables.
    std::vector<A> at;
    for (const table<A>& one : tables)
        for (const A a : addresses_to_try<A>(one))
            at.push_back(a);
    for (std::size_t which = 0; which < tables.size(); ++which) {
        const std::vector<next_hop> right = oracle_answers<A>(tables[which], at);
        std::vector<next_hop> got(at.size());
        fib->lookup(which, at, got);
        for (std::size_t i = 0; i < at.size(); ++i) {
            ASSERT_EQ(got[i], right[i]) << "FIB " << which << ", " << text_of(at[i]);
            ASSERT_EQ(fib->lookup(which, at[i]), right[i]);
        }
    }
}

// Equal rows are stored once: two FIBs of one table have as many rows as one FIB.
TEST(sail_m, keeps_equal_rows_once) {
    using A = ipv4_address;
    random_numbers random(4);
    const routes<A> some(clustered_table<A>(random, 3'000, 5));
    const routes<A>* const twice[] = {&some, &some};
    const auto one = sail_m::fib<A>::build(some);
    const auto two = sail_m::fib<A>::overlay(twice);
    ASSERT_TRUE(one && two);
    EXPECT_LE(one->rows(), 6u) << "five next hops and none";
    EXPECT_EQ(two->rows(), one->rows());
    const auto bytes = [](const sail_m::fib<A>& fib, std::string_view part) {
        for (const memory_part& p : fib.memory_parts())
            if (p.name == part)
                return p.bytes;
        return std::size_t{0};
    };
    EXPECT_EQ(bytes(*two, "chunks"), bytes(*one, "chunks"));
    EXPECT_EQ(bytes(*two, "next hops"), two->rows() * 2 * sizeof(next_hop));
}

TEST(sail_m, says_that_its_rows_have_ended) {
    using A = ipv4_address;
    const routes<A> some(sorted<A>({{leading<A>(1, 8), {1}}, {leading<A>(2, 8), {2}}}));
    const routes<A>* const one = &some;
    EXPECT_EQ(sail_m::fib<A>::overlay(std::span(&one, 1), 2).error(), errc::capacity);
    EXPECT_TRUE(sail_m::fib<A>::overlay(std::span(&one, 1), 3));
}

} // namespace
} // namespace fingerpost::testing::of_sail_m
