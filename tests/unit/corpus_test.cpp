// Tables that exposed errors in published implementations, T1 to T18 of the shared corpus, for 12, 32 and 128
// bits.
//
// T16 (random clusters) is in tests/property/schemes_test.cpp and T17 (concurrent readers) in
// tests/concurrency/table_test.cpp. Tables that need a RIB (T3, T10, T14 and the deletions of T8) are in
// rib_corpus_test.cpp.
#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <limits>

#include "fingerpost/registry/registry.hpp"
#include "tests/support/suite.hpp"

namespace fingerpost::testing::of_corpus {
namespace {

template <class A>
class corpus : public over_schemes<A> {
  protected:
    using value = typename A::value_type;

    void expect_agreement(table<A> routes) { ASSERT_TRUE(agree<A>(sorted(std::move(routes)), done_)); }
    // Checks the table alone, above a default route with the table's first next hop, and above one with
    // another next hop.
    void expect_agreement_with_and_without_default(const table<A>& routes) {
        expect_agreement(routes);
        table<A> more = routes;
        more.push_back({prefix<A>{}, routes.empty() ? next_hop{0} : routes.front().hop});
        expect_agreement(more);
        more.back().hop = next_hop{1000};
        expect_agreement(more);
    }
    // The number of builds of one or two tables by the schemes that support this many next hops.
    static std::size_t builds_that_hold(std::size_t hops, bool two_tables) {
        std::size_t builds = 0;
        for (const candidate<A>& one : candidates<A>()) {
            const std::uint64_t most = one.scheme->facts.most_next_hops;
            builds += most == 0 || hops <= most ? 1 : 0;
        }
        return two_tables ? 2 * builds : builds;
    }
    void report(std::size_t tables) const { done_.report(tables, 2 * tables); }

    tally done_;
    random_numbers random_{50};
};

using widths = ::testing::Types<address<12>, address<32>, address<128>>;
TYPED_TEST_SUITE(corpus, widths);

TYPED_TEST(corpus, t1_t2_t4_empty_and_default_only) {
    this->expect_agreement({});
    for (const std::uint32_t id : {0U, 1U, 255U, 65535U, 0xfffffffeU})
        this->expect_agreement({{{}, {id}}});
    this->report(6);
}

TYPED_TEST(corpus, t5_siblings_of_every_length) {
    using A = TypeParam;
    // All lengths in one table. Whether they nest is random; the oracle has the answers.
    for (int round = 0; round < 4; ++round) {
        table<A> equal, different;
        for (unsigned length = 1; length <= A::bits; ++length) {
            const auto one = prefix<A>::make(this->random_.template address<A>(), length);
            const auto other = prefix<A>::make(
                A{static_cast<typename A::value_type>(one.base.value ^ leading<A>(1, length).base.value)},
                length);
            equal.insert(equal.end(), {{one, {length}}, {other, {length}}});
            different.insert(different.end(), {{one, {length}}, {other, {length + 1}}});
            if (length % 8 == 0)
                this->expect_agreement({{one, {1}}, {other, {1}}});
            if (length % 8 == 0)
                this->expect_agreement({{one, {1}}, {other, {2}}});
        }
        this->expect_agreement_with_and_without_default(equal);
        this->expect_agreement_with_and_without_default(different);
    }
    this->report(20);
}

TYPED_TEST(corpus, t6_a_long_prefix_that_ends_where_a_short_one_starts) {
    using A = TypeParam;
    if constexpr (A::bits == 128) {
        this->expect_agreement_with_and_without_default(
            {{leading<A>(0x20010db7ffff, 48), {1}}, {leading<A>(0x20010db8, 32), {2}}});
        this->expect_agreement_with_and_without_default(
            {{leading<A>(0x20010db8, 32), {1}}, {leading<A>(0x20010db90000, 48), {2}}});
    }
    // Every pair of lengths in both orders, in one table for each (or for some) of the first lengths.
    const unsigned step = A::bits > 32 && effort() < 0.5 ? 5 : 1;
    for (unsigned one = 1; one <= A::bits; one += step) {
        table<A> routes;
        for (unsigned other = 1; other <= A::bits; ++other) {
            const auto border =
                prefix<A>::make(this->random_.template address<A>(), std::min(one, other)).base;
            if (border == A::first())
                continue;
            const A before{static_cast<typename A::value_type>(border.value - 1)};
            routes.push_back({prefix<A>::make(before, one), {one}});
            routes.push_back({prefix<A>::make(border, other), {A::bits + other}});
        }
        this->expect_agreement(routes);
    }
    this->report(A::bits / step);
}

TYPED_TEST(corpus, t7_both_ends_of_the_space) {
    using A = TypeParam;
    table<A> all;
    for (const unsigned length : {1U, 4U, 8U, A::bits / 2, A::bits - 1, A::bits}) {
        const route<A> top{prefix<A>::make(A::last(), length), {2 * length}};
        const route<A> bottom{prefix<A>::make(A::first(), length), {2 * length + 1}};
        this->expect_agreement_with_and_without_default({top});
        this->expect_agreement_with_and_without_default({bottom});
        all.insert(all.end(), {top, bottom});
        this->expect_agreement_with_and_without_default(all);
    }
    this->report(6 * 9);
}

// A block of any length that a longer prefix cuts, as one of the first or last three blocks of the space:
// schemes may handle the blocks before and after a cut block differently, or fail when there are none.
TYPED_TEST(corpus, t7_cut_blocks_at_both_ends_of_the_space) {
    using A = TypeParam;
    std::size_t tables = 0;
    const unsigned step = effort() < 0.1 ? 7 : effort() < 0.5 ? 3 : 1;
    for (unsigned length = 2; length < A::bits; length += step)
        for (const u128 nth : {0, 1, 2})
            for (const bool top : {false, true}) {
                const auto block = leading<A>(top ? low_mask<u128>(length) - nth : nth, length);
                const table<A> cut{{prefix<A>::make(block.first(), length + 1), {1}},
                                   {prefix<A>::make(block.last(), A::bits), {2}}};
                this->expect_agreement(sorted(cut));
                this->expect_agreement({{prefix<A>{}, {1}}, cut[1]});
                tables += 2;
            }
    this->report(tables);
}

TYPED_TEST(corpus, t8_a_chain_of_every_length_taken_apart) {
    using A = TypeParam;
    // Under sanitizers and emulators, which are slow, every fifth table is enough.
    const unsigned step = effort() < 0.1 ? 5 : 1;
    for (const A end : {A::first(), A::last(), this->random_.template address<A>()}) {
        table<A> chain;
        for (unsigned length = 0; length <= A::bits; ++length)
            chain.push_back({prefix<A>::make(end, length), {length}});
        while (!chain.empty()) {
            if (chain.size() % step == 1 % step)
                this->expect_agreement(chain);
            if (this->HasFatalFailure())
                return;
            chain.erase(chain.begin() + static_cast<std::ptrdiff_t>(this->random_.below(chain.size())));
        }
    }
    this->report(3 * ((A::bits + 1) / step));
}

TYPED_TEST(corpus, t9_a_hole_with_the_outer_next_hop_inside) {
    using A = TypeParam;
    for (unsigned step = 1; step <= std::min(A::bits / 3, 16U); ++step) {
        table<A> routes;
        const A where = this->random_.template address<A>();
        // Next hops alternate inwards (5, 6, 5, 6, ...): no level may be dropped because its grandparent has
        // the same next hop.
        for (unsigned length = step, turn = 0; length <= A::bits; length += step, ++turn)
            routes.push_back({prefix<A>::make(where, length), {5 + turn % 2}});
        this->expect_agreement_with_and_without_default(routes);
    }
    this->report(3 * std::min(A::bits / 3, 16U));
}

TYPED_TEST(corpus, t11_lengths_around_every_stride_border) {
    using A = TypeParam;
    for (unsigned border = 1; border < A::bits; ++border) {
        table<A> routes;
        const A where = this->random_.template address<A>();
        // At the start, the middle and the end of one block at the boundary, and of its neighbours.
        const auto block = prefix<A>::make(where, border);
        for (const A at : {block.first(), where, block.last()})
            for (unsigned length = border - 1; length <= border + 1; ++length)
                routes.push_back({prefix<A>::make(at, length), {static_cast<std::uint32_t>(routes.size())}});
        for (unsigned length = border - 1; length <= border + 1; ++length) {
            const A next{static_cast<typename A::value_type>((block.last().value + 1) & A::last().value)};
            routes.push_back({prefix<A>::make(next, length), {static_cast<std::uint32_t>(routes.size())}});
        }
        this->expect_agreement(routes);
    }
    this->report(A::bits - 1);
}

TYPED_TEST(corpus, t12_short_prefixes_over_a_deep_trie) {
    using A = TypeParam;
    table<A> routes;
    for (int i = 0; i < 1200; ++i) {
        const A where = this->random_.template address<A>();
        const unsigned length = 9 + static_cast<unsigned>(this->random_.below(A::bits - 8));
        routes.push_back({prefix<A>::make(where, length), {static_cast<std::uint32_t>(i % 50)}});
    }
    const std::array<prefix<A>, 6> broad{leading<A>(0, 1), leading<A>(1, 1),    leading<A>(1, 3),
                                         leading<A>(3, 2), leading<A>(0x20, 8), leading<A>(0x3f, 6)};
    for (const auto& p : broad) {
        routes.push_back({p, {100U + p.length}});
        this->expect_agreement(routes);
    }
    this->expect_agreement_with_and_without_default(routes);
    this->report(9);
}

TYPED_TEST(corpus, t13_lengths_in_the_lower_half_of_the_address) {
    using A = TypeParam;
    constexpr unsigned half = A::bits / 2;
    for (const bool crowded : {true, false})
        for (const std::uint64_t shape : {0U, 1U, 2U}) {
            table<A> routes;
            // A few upper halves with many routes each, or many with one route each, including the first and
            // the last half.
            std::vector<A> uppers{A::first(), A::last()};
            for (std::size_t i = 0; i < (crowded ? 3U : 150U); ++i)
                uppers.push_back(this->random_.template address<A>());
            for (const A upper : uppers)
                for (unsigned length = half + 1; length <= A::bits; ++length) {
                    if (!crowded && this->random_.below(16) != 0)
                        continue;
                    const A lower = shape == 0   ? A::first()
                                    : shape == 1 ? A::last()
                                                 : this->random_.template address<A>();
                    const auto keep = network_mask<A>(half);
                    const A where{
                        static_cast<typename A::value_type>((upper.value & keep) | (lower.value & ~keep))};
                    routes.push_back(
                        {prefix<A>::make(where, length), {static_cast<std::uint32_t>(routes.size() % 7)}});
                }
            this->expect_agreement_with_and_without_default(routes);
            // Short covers, so that addresses outside the cells have an answer too.
            for (const A upper : uppers)
                routes.push_back({prefix<A>::make(upper, half), {9}});
            for (const A upper : uppers)
                routes.push_back({prefix<A>::make(upper, half - 1), {10}});
            this->expect_agreement(routes);
        }
    this->report(24);
}

// `count` neighbouring prefixes of one length, at the start or the end of the space, with the next hops
// hop_of(0) to hop_of(count - 1).
template <class A, class H>
table<A> row_of(std::size_t count, unsigned length, bool at_the_end, H hop_of) {
    table<A> out;
    out.reserve(count);
    const u128 from = at_the_end ? shift_left(u128{1}, length) - count : 0;
    for (std::size_t i = 0; i < count; ++i)
        out.push_back({leading<A>(from + i, length), {hop_of(static_cast<std::uint32_t>(i))}});
    return out;
}

TYPED_TEST(corpus, t15_as_many_next_hops_as_answers_have_numbers) {
    using A = TypeParam;
    constexpr unsigned length = A::bits == 12 ? 12 : 24;
    std::size_t tables = 0;
    for (const std::size_t limit : {1U << 8, 1U << 12, 1U << 15, 1U << 16, 1U << 21})
        for (std::size_t hops = limit - 3; hops <= limit + 1; ++hops) {
            if (hops > std::size_t{1} << length || limit > scaled(std::size_t{1} << 22))
                continue;
            // Codes of one and two bytes run out near two of these limits. The others are limits of bit
            // fields and slow to test.
            if (limit != 1U << 8 && limit != 1U << 16 && hops != limit + 1 &&
                hops != std::size_t{1} << length)
                continue;
            // Two-byte codes run out at an even number.
            const bool is_dear = limit > 1U << 8 && effort() < 0.5;
            if (is_dear && hops % 2 != 0)
                continue;
            const std::size_t before = this->done_.builds;
            const auto dense = [](std::uint32_t i) { return i; };
            // The largest id is not available as a code, so a table that has it must number its next hops.
            const std::uint32_t last = hops % 2 == 0 ? 0xfffffffdU : 0xfffffffeU;
            const auto sparse = [=](std::uint32_t i) { return last - 3 * i; };
            ASSERT_TRUE(agree<A>(row_of<A>(hops, length, false, dense), this->done_, refusal::allowed));
            if (limit < 1U << 21 && !is_dear) {
                // A short route, because the direct table of a trie may have fewer bits for codes than its
                // leaves.
                table<A> some = row_of<A>(hops, length, false, sparse);
                some.push_back({leading<A>(1, 1), some.front().hop});
                ASSERT_TRUE(agree<A>(sorted(std::move(some)), this->done_, refusal::allowed));
            }
            // A scheme may refuse only above its declared limit.
            EXPECT_GE(this->done_.builds - before, this->builds_that_hold(hops, limit < 1U << 21 && !is_dear))
                << "a scheme refused " << hops << " next hops";
            ++tables;
        }
    this->report(tables);
    EXPECT_GE(tables, 5U);
}

TYPED_TEST(corpus, t15_large_ids_of_few_next_hops) {
    using A = TypeParam;
    const std::uint32_t last = std::numeric_limits<std::uint32_t>::max() - 1;
    const std::array<std::uint32_t, 14> ids{0,     253,   254,      255,         256,      65533,    65534,
                                            65535, 65536, 1U << 21, 0x7fffffffU, 1U << 31, last - 1, last};
    table<A> routes;
    for (const std::uint32_t id : ids) {
        const std::size_t before = this->done_.builds;
        routes.push_back({leading<A>(routes.size() * 3 + 1, 8), {id}});
        ASSERT_TRUE(agree<A>(sorted(table<A>{routes.back()}), this->done_, refusal::allowed));
        ASSERT_TRUE(agree<A>(sorted(routes), this->done_, refusal::allowed));
        EXPECT_EQ(this->done_.builds - before, this->builds_that_hold(routes.size(), true))
            << "a scheme refused id " << id;
    }
    this->report(2 * ids.size());
}

TYPED_TEST(corpus, t18_exactly_as_many_intervals_as_fit) {
    using A = TypeParam;
    constexpr unsigned length = A::bits == 12 ? 12 : A::bits == 32 ? 24 : 48;
    std::size_t tables = 0;
    // Nodes of 8 keys and 9 children, and of 16 keys and 17 children, 0 to 5 levels above the leaves.
    for (const std::size_t full : {8U, 72U, 648U, 5832U, 52488U, 472392U, 16U, 272U, 4624U, 78608U})
        for (std::size_t intervals = full - 1; intervals <= full + 1; ++intervals) {
            if (intervals > std::size_t{1} << length || full > scaled(1'000'000))
                continue;
            for (const bool at_the_end : {false, true}) {
                if (full > 60'000 && at_the_end)
                    continue;
                // Neighbours differ, and the rest of the space is one more interval, without an answer.
                const table<A> routes =
                    row_of<A>(intervals - 1, length, at_the_end, [](std::uint32_t i) { return i % 2; });
                ASSERT_EQ(elementary_intervals<A>(std::span<const route<A>>(routes)).size(), intervals);
                this->expect_agreement(routes);
                if (this->HasFatalFailure())
                    return;
                ++tables;
            }
        }
    this->report(tables);
    EXPECT_GE(tables, 24U);
}

TYPED_TEST(corpus, t18_as_many_cut_blocks_as_numbers_for_them) {
    using A = TypeParam;
    constexpr unsigned block = A::bits == 12 ? 9 : 24;
    std::size_t tables = 0;
    // The first half of each block has a route, so that a scheme that spills such blocks spills all of them.
    for (const std::size_t limit : {1U << 8, 1U << 15, 1U << 16})
        for (std::size_t blocks = limit - 1; blocks <= limit + 1; ++blocks) {
            if (blocks > std::size_t{1} << block || limit > scaled(1U << 17))
                continue;
            table<A> routes;
            for (std::size_t i = 0; i < blocks; ++i)
                routes.push_back({leading<A>(2 * i, block + 1), {static_cast<std::uint32_t>(i % 3)}});
            this->expect_agreement(routes);
            ++tables;
        }
    this->report(tables);
    EXPECT_GE(tables, 3U);
}

} // namespace
} // namespace fingerpost::testing::of_corpus
