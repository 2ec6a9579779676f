// Regions against the oracle: the list alone, and FIBs whose short routes come and go among longer ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "fingerpost/rib/rib.hpp"
#include "fingerpost/schemes/packed_leaves/packed_leaves.hpp"
#include "tests/oracle/by_length.hpp"
#include "tests/support/suite.hpp"
#include "tests/support/tables/tables.hpp"

namespace fingerpost::testing {
namespace {

using namespace cells;

template <class A>
class Regions : public ::testing::Test {};
using region_widths = ::testing::Types<address<8>, ipv4_address, ipv6_address>;
TYPED_TEST_SUITE(Regions, region_widths);

template <class A>
prefix<A> some_short(random_numbers& random) {
    return prefix<A>::make(random.template address<A>(),
                           static_cast<unsigned>(random.below(region_list<A>::most_length + 1)));
}

// Routes come and go. A list of this many codes never fills up, because the regions of withdrawn routes are
// released.
TYPED_TEST(Regions, AnswerAsTheirRoutesDo) {
    using A = TypeParam;
    random_numbers random(A::bits);
    constexpr std::uint32_t codes = 64;
    constexpr std::size_t most = 40;
    rib<A> truth;
    region_list<A> changed(codes);
    region_list<A> behind(codes);
    std::size_t given_up = 0;
    for (std::size_t round = 0; round < std::max<std::size_t>(1'000, scaled(2'000)); ++round) {
        const bool leaves = truth.size() == most || (random.below(2) == 0 && !truth.empty());
        const prefix<A> p = leaves ? truth.match(random.template address<A>()).value_or(*truth.begin()).where
                                   : some_short<A>(random);
        if (leaves) {
            ASSERT_TRUE(truth.erase(p));
            ASSERT_TRUE(changed.find(p));
            changed.set(*changed.find(p), next_hop::none.id);
        } else {
            const next_hop hop{static_cast<std::uint32_t>(random.below(5))};
            ASSERT_TRUE(truth.insert(p, hop));
            if (!changed.find(p)) {
                if (changed.is_full()) {
                    const auto idle = changed.find_idle();
                    ASSERT_TRUE(idle);
                    const prefix<A> where = changed.prefix_of(*idle);
                    const std::uint32_t outer = changed.remove(*idle);
                    ASSERT_TRUE(outer == 0 || changed.prefix_of(outer).covers(where));
                    ++given_up;
                }
                const std::uint32_t outer = changed.add(p);
                ASSERT_TRUE(outer == 0 || changed.prefix_of(outer).covers(p));
            }
            changed.set(*changed.find(p), hop.id);
        }
        behind.sync_from(changed, round > 0);
        std::swap(behind, changed);
        for (unsigned i = 0; i < 10; ++i) {
            const A a = random.template address<A>();
            ASSERT_EQ(changed.answers()[changed.of(a)], truth.lookup(a).id) << text_of(a);
        }
        ASSERT_EQ(changed.answers().size(), codes + 1);
        ASSERT_EQ(changed.answers().back(), 0U);
    }
    if (A::bits >= 32) {
        EXPECT_GT(given_up, 0U);
    }
}

TYPED_TEST(Regions, PiecesCoverARangeInOrder) {
    using A = TypeParam;
    using value = typename A::value_type;
    random_numbers random(A::bits + 1);
    region_list<A> list(4096);
    for (unsigned i = 0; i < 200; ++i) {
        if (i % 10 == 0) {
            const prefix<A> p = some_short<A>(random);
            if (!list.find(p))
                (void)list.add(p);
        }
        A first = random.template address<A>();
        A last = random.template address<A>();
        if (last < first)
            std::swap(first, last);
        A at = first;
        bool is_done = false;
        list.each_piece(first, last, [&](A end, std::uint32_t code) {
            ASSERT_FALSE(is_done);
            ASSERT_LE(at, end);
            ASSERT_LE(end, last);
            for (const A probe : {at, end, A{static_cast<value>(at.value + (end.value - at.value) / 2)}})
                ASSERT_EQ(list.of(probe), code) << text_of(probe);
            is_done = end == last;
            at = A{static_cast<value>(end.value + 1)};
        });
        ASSERT_TRUE(is_done);
    }
}

// More short routes among longer ones than the codes with which a FIB was built, so some changes request a
// rebuild. After each change the FIB is checked at the ends of the affected ranges; then the other FIB of the
// pair takes over.
template <class A, class Fib>
void change_short_routes(std::size_t changes, unsigned longest, unsigned deepest) {
    random_numbers random(A::bits + longest);
    rib<A> truth;
    oracle::by_length<A> oracle{std::span<const route<A>>{}};
    const auto build = [&] {
        auto made = Fib::build(truth.to_routes());
        EXPECT_TRUE(made);
        return std::move(*made);
    };
    Fib fib = build();
    Fib standby = build();
    std::vector<prefix<A>> present;
    std::size_t shorts = 0;
    std::size_t rebuilds = 0;
    for (std::size_t i = 0; i < changes; ++i) {
        // Half of all prefixes are in one /8, so that short routes have gaps.
        A base = random.template address<A>();
        if (random.below(2) == 0)
            base.value = static_cast<typename A::value_type>(base.value >> 8);
        const bool is_short = random.below(4) == 0;
        const unsigned length = static_cast<unsigned>(
            is_short ? random.below(longest + 1) : longest + 1 + random.below(deepest - longest));
        const bool leaves = present.size() > 600 || (random.below(3) == 0 && !present.empty());
        const std::size_t which = leaves ? random.below(present.size()) : 0;
        auto told = leaves ? truth.withdraw(present[which])
                           : truth.announce(prefix<A>::make(base, length),
                                            {static_cast<std::uint32_t>(random.below(100))});
        ASSERT_TRUE(told);
        oracle.set(told->where, told->after);
        if (leaves) {
            present[which] = present.back();
            present.pop_back();
        } else if (told->before == next_hop::none) {
            present.push_back(told->where);
        }
        const auto ranges = told->affected_ranges;
        if (region_list<A>::is_short(told->where)) {
            told->affected_ranges.clear();
            ++shorts;
        }
        if (fib.apply(*told) != errc::ok) {
            fib = build();
            standby = build();
            ++rebuilds;
        }
        fib.begin_publish();
        for (const auto& [first, last] : ranges)
            for (const auto at : {first.value - 1, first.value, last.value, last.value + 1}) {
                const A a{static_cast<typename A::value_type>(at & A::last().value)};
                ASSERT_EQ(fib.lookup(a), oracle.lookup(a)) << text_of(a) << " after " << i;
            }
        fib.finish_publish();
        ASSERT_EQ(standby.sync_from(fib), errc::ok);
        std::swap(fib, standby);
    }
    EXPECT_GT(shorts, changes / 10);
    EXPECT_LT(rebuilds, changes / 50);
}
TEST(RegionsInFibs, OfIpv4Trees) {
    change_short_routes<ipv4_address, packed_leaves::tree_fib<ipv4_address>>(
        scaled(20'000), region_list<ipv4_address>::most_length, 32);
}
TEST(RegionsInFibs, OfIpv4Words) {
    change_short_routes<ipv4_address, ranked_cells::fib<ipv4_address>>(
        scaled(20'000), region_list<ipv4_address>::most_length, 32);
}
TEST(RegionsInFibs, OfIpv6) {
    change_short_routes<ipv6_address, packed_leaves::fib<ipv6_address>>(
        scaled(20'000), region_list<ipv6_address>::most_length, 70);
}
TEST(RegionsInFibs, OfNarrowAddresses) {
    change_short_routes<address<8>, packed_leaves::fib<address<8>>>(scaled(20'000),
                                                                    region_list<address<8>>::most_length, 8);
}

// Announcing, changing and withdrawing a default route writes a region's answer and no line.
TEST(RegionsInFibs, ADefaultRouteWritesNoLine) {
    using A = ipv6_address;
    random_numbers random(4);
    clustered_prefixes<A> prefixes(random);
    rib<A> truth;
    for (unsigned i = 0; i < 3'000; ++i)
        ASSERT_TRUE(truth.insert(prefixes.next(), {static_cast<std::uint32_t>(random.below(200))}));
    ASSERT_TRUE(truth.insert(prefix<A>{}, {7}));
    ASSERT_TRUE(truth.erase(prefix<A>{}));
    auto fib = packed_leaves::fib<A>::build(truth.to_routes());
    ASSERT_TRUE(fib);
    const auto before = fib->arrays().front.lines;
    const std::vector<std::byte> lines(before.begin(), before.end());
    for (const next_hop hop : {next_hop{7}, next_hop{8}, next_hop::none}) {
        const auto told =
            hop == next_hop::none ? truth.withdraw(prefix<A>{}) : truth.announce(prefix<A>{}, hop);
        ASSERT_TRUE(told);
        ASSERT_EQ(fib->apply(*told), errc::ok);
        ASSERT_TRUE(std::equal(lines.begin(), lines.end(), fib->arrays().front.lines.begin(),
                               fib->arrays().front.lines.end()));
        for (unsigned i = 0; i < 200; ++i) {
            const A a = random.address<A>();
            ASSERT_EQ(fib->lookup(a), truth.lookup(a)) << text_of(a);
        }
    }
}

} // namespace
} // namespace fingerpost::testing
