// The RIB, compared with a std::map: refusals, loading, and the reported changes against brute force.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "fingerpost/rib/rib.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/tables/tables.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_rib {
namespace {

template <class A>
using model = std::map<prefix<A>, next_hop>;
using p4 = ipv4_prefix;

p4 prefix4(std::uint32_t base, unsigned length) {
    return {ipv4_address{base}, static_cast<std::uint8_t>(length)};
}

// A prefix, mostly near the base, with host bits.
template <class A>
prefix<A> random_prefix(random_numbers& random, A base) {
    using value = typename A::value_type;
    const auto length = static_cast<std::uint8_t>(random.next() % (A::bits + 1));
    const auto kept = network_mask<A>(static_cast<unsigned>(random.next() % (A::bits + 1)));
    const A other = random.template address<A>();
    return {A{static_cast<value>((base.value & kept) | (other.value & ~kept))}, length};
}

template <class A>
next_hop right_lookup(const model<A>& right, A a) {
    next_hop best = next_hop::none;
    int length = -1;
    for (const auto& [where, hop] : right) {
        if (!where.contains(a) || where.length <= length)
            continue;
        length = where.length;
        best = hop;
    }
    return best;
}

template <class A>
bool in_ranges(const std::vector<address_range<A>>& ranges, A a) {
    return std::any_of(ranges.begin(), ranges.end(),
                       [a](const auto& r) { return r.first <= a && a <= r.last; });
}

// Checks `decided` at the boundaries of everything inside the prefix: it must contain exactly the addresses
// without a longer route.
template <class A>
void expect_right_ranges(const change<A>& told, const model<A>& right) {
    using value = typename A::value_type;
    std::vector<A> probes{told.where.first(), told.where.last()};
    std::vector<prefix<A>> longer;
    for (const auto& [where, hop] : right)
        if (told.where.covers(where) && where != told.where)
            longer.push_back(where);
    for (const prefix<A>& p : longer)
        for (const A a : {p.first(), p.last()})
            for (const int step : {-1, 0, 1}) {
                const A near{static_cast<value>((a.value + static_cast<value>(step)) & A::last().value)};
                if (told.where.contains(near))
                    probes.push_back(near);
            }
    for (const A a : probes) {
        const bool hidden =
            std::any_of(longer.begin(), longer.end(), [a](const prefix<A>& p) { return p.contains(a); });
        ASSERT_EQ(in_ranges(told.affected_ranges, a), !hidden);
        if (!hidden) {
            ASSERT_EQ(right_lookup(right, a), told.answer());
        }
    }
    for (std::size_t i = 0; i < told.affected_ranges.size(); ++i) {
        const auto& now = told.affected_ranges[i];
        ASSERT_LE(now.first, now.last);
        ASSERT_TRUE(told.where.contains(now.first) && told.where.contains(now.last));
        // Separate: at least one address lies between two ranges.
        if (i > 0) {
            ASSERT_LT(told.affected_ranges[i - 1].last.value, static_cast<value>(now.first.value - 1));
        }
    }
}

template <class A>
next_hop right_cover(const model<A>& right, const prefix<A>& p) {
    next_hop best = next_hop::none;
    for (const auto& [where, hop] : right)
        if (where.covers(p) && where != p)
            best = hop;
    return best;
}

template <class A>
class Rib : public ::testing::Test {};
using widths = ::testing::Types<address<12>, address<32>, address<128>>;
TYPED_TEST_SUITE(Rib, widths);

TYPED_TEST(Rib, ChangesTellWhatBruteForceFinds) {
    using A = TypeParam;
    random_numbers random(A::bits);
    std::size_t withdrawn = 0, ranges = 0;
    for (std::size_t round = 0; round < scaled(20); ++round) {
        rib<A> table;
        model<A> right;
        const A base = random.next() % 4 == 0 ? A::last() : random.template address<A>();
        for (unsigned i = 0; i < 150; ++i) {
            const prefix<A> asked = random_prefix<A>(random, base);
            const prefix<A> p = prefix<A>::make(asked.base, asked.length);
            const auto known = right.find(p);
            const next_hop before = known == right.end() ? next_hop::none : known->second;
            const bool leave = before != next_hop::none ? random.next() % 2 == 0 : random.next() % 10 == 0;
            const next_hop after =
                leave ? next_hop::none : next_hop{static_cast<std::uint32_t>(random.next() % 4)};
            const auto told = leave ? table.withdraw(asked) : table.announce(asked, after);
            if (leave && before == next_hop::none) {
                ASSERT_FALSE(told);
                ASSERT_EQ(told.error(), errc::not_found);
                continue;
            }
            ASSERT_TRUE(told);
            if (leave)
                right.erase(p);
            else
                right[p] = after;
            withdrawn += leave ? 1 : 0;
            ranges += told->affected_ranges.size();
            ASSERT_EQ(told->where, p);
            ASSERT_EQ(told->before, before);
            ASSERT_EQ(told->after, after);
            ASSERT_EQ(told->cover, right_cover(right, p));
            const auto cover = table.cover(asked);
            ASSERT_EQ(cover ? cover->hop : next_hop::none, told->cover);
            ASSERT_NO_FATAL_FAILURE(expect_right_ranges(*told, right));
            ASSERT_EQ(table.size(), right.size());
        }
        const routes<A> copy = table.to_routes();
        ASSERT_EQ(copy.size(), right.size());
        std::size_t i = 0;
        for (const auto& [where, hop] : right)
            ASSERT_EQ(copy.sorted()[i++], (route<A>{where, hop}));
    }
    EXPECT_GE(withdrawn, scaled(20) * (A::bits < 3 ? 5 : 2));
    EXPECT_GE(ranges, scaled(20) * 30);
}

// A walk that continues after any prefix, present or not, finds the rest of what a complete walk finds.
TYPED_TEST(Rib, WalksGoOnBehindAnyPrefix) {
    using A = TypeParam;
    random_numbers random(A::bits + 2000);
    std::size_t found = 0;
    for (std::size_t round = 0; round < scaled(20) + 3; ++round) {
        rib<A> table;
        const A base = random.template address<A>();
        for (unsigned i = 0; i < (round < 2 ? round : 100); ++i)
            ASSERT_TRUE(table.announce(random_prefix<A>(random, base), next_hop{i % 5}));
        for (unsigned i = 0; i < 40; ++i) {
            const prefix<A> within = i % 4 == 0 ? prefix<A>{} : random_prefix<A>(random, base);
            prefix<A> last = random_prefix<A>(random, base);
            last = prefix<A>::make(last.base, last.length);
            std::vector<route<A>> right, told;
            for (const route<A>& r : table.covered(within))
                if (last < r.where)
                    right.push_back(r);
            for (const route<A>& r : table.covered_after(within, last))
                told.push_back(r);
            ASSERT_EQ(told, right);
            found += right.size();
        }
    }
    EXPECT_GE(found, scaled(20) * (A::bits < 3 ? 10 : 100));
}

// Many interleaved searches find what each finds alone, also in an empty table and in one with a single
// route.
TYPED_TEST(Rib, ManyAtATimeAreToldWhatEachIsAlone) {
    using A = TypeParam;
    random_numbers random(A::bits + 1000);
    std::size_t ranges = 0;
    for (std::size_t round = 0; round < scaled(20) + 3; ++round) {
        rib<A> table;
        const A base = random.template address<A>();
        for (unsigned i = 0; i < (round < 2 ? round : 100); ++i)
            ASSERT_TRUE(table.announce(random_prefix<A>(random, base), next_hop{i % 5}));
        std::vector<prefix<A>> sought(10 + random.below(30));
        for (prefix<A>& p : sought) {
            p = random_prefix<A>(random, base);
            p = prefix<A>::make(p.base, p.length);
        }
        std::vector<typename rib<A>::neighbours> found(sought.size());
        table.find_neighbours(sought, found);
        change<A> told;
        for (std::size_t i = 0; i < sought.size(); ++i) {
            const prefix<A>& p = sought[i];
            const auto cover = table.cover(p);
            ASSERT_EQ(found[i].hop, table.get(p));
            ASSERT_EQ(found[i].cover, cover ? cover->hop : next_hop::none);
            ASSERT_EQ(found[i].cover_length, cover ? cover->where.length : 0);
            const next_hop before{static_cast<std::uint32_t>(i % 3)};
            table.describe(p, before, found[i], told);
            const change<A> right = table.describe(p, before);
            ASSERT_EQ(told.where, p);
            ASSERT_EQ(told.before, before);
            ASSERT_EQ(told.after, found[i].hop);
            ASSERT_EQ(told.cover, found[i].cover);
            ASSERT_EQ(told.affected_ranges, right.affected_ranges);
            ranges += told.affected_ranges.size();
            table.describe(p, before, found[i], told, p.length + 1U);
            ASSERT_TRUE(told.affected_ranges.empty());
        }
    }
    EXPECT_GE(ranges, 10u) << "in the empty table alone";
}

TYPED_TEST(Rib, AssignSortsMasksAndLetsTheLastDuplicateWin) {
    using A = TypeParam;
    random_numbers random(A::bits + 1);
    for (std::size_t round = 0; round < scaled(50); ++round) {
        const A base = random.template address<A>();
        std::vector<route<A>> given;
        model<A> right;
        for (std::size_t i = random.next() % 60; i > 0; --i) {
            const prefix<A> p = random_prefix<A>(random, base);
            const next_hop hop{static_cast<std::uint32_t>(random.next() % 100)};
            given.push_back({p, hop});
            right[prefix<A>::make(p.base, p.length)] = hop;
        }
        rib<A> table;
        ASSERT_TRUE(table.insert(prefix<A>{}, next_hop{77})); // replaced with everything else
        const auto counts = table.assign(given);
        ASSERT_TRUE(counts);
        ASSERT_EQ(counts->routes, right.size());
        ASSERT_EQ(counts->duplicates, given.size() - right.size());
        auto expected_next = right.begin();
        for (const route<A>& r : table) {
            ASSERT_EQ(r, (route<A>{expected_next->first, expected_next->second}));
            ++expected_next;
        }
        ASSERT_EQ(expected_next, right.end());
    }
}

TEST(RibRefuses, WhatIsNoRouteAndStaysAsItWas) {
    rib<ipv4_address> table;
    ASSERT_TRUE(table.insert(prefix4(0x0a000000, 8), next_hop{0}));
    EXPECT_EQ(table.insert(prefix4(0x0a000000, 8), next_hop::none).error(), errc::invalid);
    EXPECT_EQ(table.announce(prefix4(0x0a000000, 8), next_hop::none).error(), errc::invalid);
    EXPECT_EQ(table.insert(prefix4(0, 33), next_hop{1}).error(), errc::invalid);
    EXPECT_EQ(table.announce(prefix4(0, 255), next_hop{1}).error(), errc::invalid);
    EXPECT_EQ(table.erase(prefix4(0, 33)).error(), errc::invalid);
    EXPECT_EQ(table.withdraw(prefix4(0, 33)).error(), errc::invalid);
    EXPECT_EQ(table.erase(prefix4(0x0a000000, 9)).error(), errc::not_found);
    EXPECT_EQ(table.withdraw(prefix4(0x0a000000, 7)).error(), errc::not_found);
    EXPECT_EQ(table.assign({{prefix4(0, 1), next_hop{1}}, {prefix4(0, 2), next_hop::none}}).error(),
              errc::invalid);
    EXPECT_EQ(table.assign({{prefix4(0, 33), next_hop{1}}}).error(), errc::invalid);
    EXPECT_EQ(table.get(prefix4(0, 33)), next_hop::none);
    EXPECT_EQ(table.size(), 1u);
    EXPECT_EQ(table.get(prefix4(0x0a000000, 8)), next_hop{0});
}

TEST(RibMasks, HostBitsOnTheWayIn) {
    rib<ipv4_address> table;
    EXPECT_EQ(*table.insert(prefix4(0x0a010203, 8), next_hop{1}), next_hop::none);
    EXPECT_EQ(*table.insert(prefix4(0x0a000000, 8), next_hop{2}), next_hop{1});
    EXPECT_EQ(table.get(prefix4(0x0affffff, 8)), next_hop{2});
    EXPECT_EQ((*table.begin()).where, prefix4(0x0a000000, 8));
    EXPECT_EQ(*table.erase(prefix4(0x0a0b0c0d, 8)), next_hop{2});
    EXPECT_TRUE(table.empty());
}

TEST(RibChange, HolesAtBothEndsOfTheAddressSpace) {
    rib<ipv4_address> table;
    ASSERT_TRUE(table.insert(prefix4(0, 32), next_hop{1}));
    ASSERT_TRUE(table.insert(prefix4(0xffffffff, 32), next_hop{2}));
    ASSERT_TRUE(table.insert(prefix4(0x80000000, 1), next_hop{3}));
    const auto told = table.announce(prefix4(0, 0), next_hop{4});
    ASSERT_TRUE(told);
    using range = address_range<ipv4_address>;
    EXPECT_EQ(told->affected_ranges, (std::vector<range>{{{1}, {0x7fffffff}}}));
    const auto half = table.withdraw(prefix4(0x80000000, 1));
    ASSERT_TRUE(half);
    EXPECT_EQ(half->cover, next_hop{4});
    EXPECT_EQ(half->answer(), next_hop{4});
    EXPECT_EQ(half->affected_ranges, (std::vector<range>{{{0x80000000}, {0xfffffffe}}}));
    // Two halves leave nothing of their cover.
    ASSERT_TRUE(table.insert(prefix4(0, 1), next_hop{5}));
    ASSERT_TRUE(table.insert(prefix4(0x80000000, 1), next_hop{6}));
    const auto hidden = table.withdraw(prefix4(0, 0));
    ASSERT_TRUE(hidden);
    EXPECT_TRUE(hidden->affected_ranges.empty());
}

TEST(RibChange, TheSameHopAgainIsAChangeWithBeforeAndAfterEqual) {
    rib<ipv4_address> table;
    ASSERT_TRUE(table.announce(prefix4(0x0a000000, 8), next_hop{1}));
    const auto told = table.announce(prefix4(0x0a000000, 8), next_hop{1});
    ASSERT_TRUE(told);
    EXPECT_EQ(told->before, next_hop{1});
    EXPECT_EQ(told->after, next_hop{1});
    EXPECT_EQ(told->affected_ranges.size(), 1u);
}

} // namespace
} // namespace fingerpost::testing::of_rib
