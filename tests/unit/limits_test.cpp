// What happens where numbers end: every bound of docs/limits.md, with a small number in the place of the
// large one. Always the same: errc::capacity, and everything as before.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "fingerpost/base/narrow.hpp"
#include "fingerpost/base/written_units.hpp"
#include "fingerpost/fib/binary_trie.hpp"
#include "fingerpost/fib/direct_table.hpp"
#include "fingerpost/fib/planb.hpp"
#include "fingerpost/rib/aggregate.hpp"
#include "fingerpost/rib/rib.hpp"
#include "fingerpost/table/core.hpp"
#include "tests/forms/counted_leaves.hpp"
#include "tests/oracle/by_length.hpp"
#include "tests/oracle/probes.hpp"
#include "tests/support/tables.hpp"

namespace fingerpost::testing {
namespace {

constexpr std::size_t past_32_bits = std::size_t{1} << 32;

template <class A>
std::vector<route<A>> routes_of(const rib<A>& all) {
    const routes<A> copy = all.to_routes();
    return {copy.sorted().begin(), copy.sorted().end()};
}
template <class A, class Fib>
void expect_right(const Fib& fib, const std::vector<route<A>>& all) {
    const oracle::by_length<A> truth{std::span<const route<A>>(all)};
    for (const A a : oracle::probes<A>(std::span<const route<A>>(all)))
        ASSERT_EQ(fib.lookup(a), truth.lookup(a)) << text_of(a);
}

TEST(Limits, SizesThatAreNoNumbersOf32BitsAreRefused) {
    EXPECT_EQ(to_u32(past_32_bits - 1, "x"), 0xffffffffu);
    EXPECT_THROW((void)to_u32(past_32_bits, "x"), std::length_error);
    EXPECT_NO_THROW(check_size(7, 7, "x"));
    EXPECT_THROW(check_size(8, 7, "x"), std::length_error);
}

TEST(Limits, AUnitThatTheListCannotNameMeansThatAllMustBeCopied) {
    written_units units;
    units.start(1 << 20);
    units.add(past_32_bits - 1);
    EXPECT_TRUE(units.are_known());
    units.add(past_32_bits);
    EXPECT_FALSE(units.are_known());
}

TEST(Limits, APoolGivesSoManyNumbersAndNoMore) {
    for (const std::size_t most : {std::size_t{1}, std::size_t{100}, std::size_t{300'000}}) {
        node_pool<std::uint64_t> pool(most);
        for (std::size_t i = 0; i < most; ++i)
            ASSERT_EQ(pool.allocate(), i);
        EXPECT_EQ(pool.capacity(), most);
        EXPECT_EQ(pool.allocate(), pool.nil);
        EXPECT_EQ(pool.shortage(), errc::capacity);
        pool.release(0);
        EXPECT_EQ(pool.shortage(), errc::out_of_memory) << "one is free, so it would not be for numbers";
        EXPECT_EQ(pool.allocate(), 0u);
        EXPECT_FALSE(pool.reserve(most + 1));
        EXPECT_EQ(pool.shortage(most + 1), errc::capacity);
        pool.clear();
        EXPECT_EQ(pool.most_nodes(), most);
        EXPECT_TRUE(pool.reserve(most));
    }
}

// The last fork that a pool gives must not have the link that says that there is none.
TEST(Limits, NoForkHasTheLinkNil) {
    using nodes = detail::path_nodes<ipv4_address>;
    constexpr auto last = static_cast<std::uint32_t>(nodes::most - 1);
    EXPECT_NE(nodes::fork_link(last), nodes::nil);
    EXPECT_NE(nodes::route_link(last), nodes::nil);
    EXPECT_EQ(nodes::fork_link(last + 1), nodes::nil);
}

template <class A>
class LimitsEachWidth : public ::testing::Test {};
using widths = ::testing::Types<address<12>, ipv4_address, ipv6_address>;
TYPED_TEST_SUITE(LimitsEachWidth, widths);

TYPED_TEST(LimitsEachWidth, ARibThatIsFullStaysAsItIs) {
    using A = TypeParam;
    random_numbers random(A::bits);
    const auto all = clustered_table<A>(random, 60, 5);
    const std::size_t most = all.size() - 1;
    ASSERT_GE(most, 30u);
    rib<A> full(most);
    for (std::size_t i = 0; i < most; ++i)
        ASSERT_TRUE(full.insert(all[i].where, all[i].hop));
    const auto before = routes_of(full);
    const auto expect_same = [&](errc told) {
        EXPECT_EQ(told, errc::capacity);
        EXPECT_EQ(routes_of(full), before);
        expect_right<A>(full, before);
    };
    expect_same(full.insert(all[most].where, all[most].hop).error());
    expect_same(full.announce(all[most].where, all[most].hop).error());
    expect_same(full.assign(all).error());
    // What is there may change, and what goes makes room.
    EXPECT_TRUE(full.announce(all[0].where, {77}));
    EXPECT_TRUE(full.withdraw(all[1].where));
    full.tidy();
    EXPECT_TRUE(full.insert(all[most].where, all[most].hop));
    EXPECT_EQ(full.insert(all[1].where, {1}).error(), errc::capacity);
    full.clear();
    EXPECT_EQ(full.assign(all).error(), errc::capacity);
    EXPECT_TRUE(full.assign(before));
}

TYPED_TEST(LimitsEachWidth, AnAggregationSaysWhenItsNodesEnd) {
    using A = TypeParam;
    random_numbers random(3);
    const auto all = clustered_table<A>(random, 50, 5);
    std::size_t fewest = 0; // nodes that it takes
    for (;; ++fewest) {
        try {
            (void)aggregate<A>(all, fewest);
            break;
        } catch (const std::length_error&) {
        }
    }
    EXPECT_GE(fewest, all.size());
    EXPECT_LE(fewest, 2 * all.size());
}

TEST(Limits, MoreNextHopsThanCodesAreRefused) {
    std::vector<next_hop> hops;
    for (std::uint32_t i = 0; i < 254; ++i)
        hops.push_back({i * 1000});
    EXPECT_EQ(answer_codec::choose(hops, 1, {}, 1).bytes(), 1u);
    hops.push_back({7});
    EXPECT_THROW((void)answer_codec::choose(hops, 1, {}, 1), std::length_error);
    EXPECT_EQ(answer_codec::choose(hops, 1, {}, 2).bytes(), 2u);
}

// The fault of issue 14: lines that fit the reserved room were handed out past the end of their numbers.
TEST(Limits, LinesEndWhereverTheirMemoryDoes) {
    for (const std::size_t most : {std::size_t{3}, std::size_t{64}, std::size_t{1000}, std::size_t{70'000}}) {
        packed_lines lines(2, most);
        std::size_t given = 0;
        const auto give = [&](std::size_t count) {
            ASSERT_EQ(lines.allocate(count), given * packed_lines::line);
            given += count;
        };
        while (given + 2 <= most) {
            ASSERT_NO_FATAL_FAILURE(give(2));
            if (given == most / 2)
                lines.shrink();
        }
        EXPECT_THROW((void)lines.allocate(most - given + 1), std::length_error);
        EXPECT_EQ(lines.used(), given);
        if (given < most) {
            ASSERT_NO_FATAL_FAILURE(give(1));
        }
        EXPECT_THROW((void)lines.allocate(1), std::length_error);
        EXPECT_THROW(lines.reserve(most + 1), std::length_error);
        EXPECT_EQ(lines.used(), most);
        EXPECT_EQ(lines.bytes().size(), most * packed_lines::line);
        packed_lines second;
        second.follow(lines, false);
        EXPECT_EQ(second.most_lines(), most);
        EXPECT_THROW((void)second.allocate(1), std::length_error);
        second.release(0, 1);
        EXPECT_EQ(second.allocate(1), 0u);
    }
}

// Changes come to a live table until no FIB can hold them: those that fit answer as they should, the one that
// does not has not happened, and the table goes on.
template <class A, packed_bounds Bounds>
void fill_up(policy how, std::size_t least) {
    const live_scheme<A>& scheme = bounded_scheme<A, Bounds>();
    auto empty = scheme.build(routes<A>(), {});
    ASSERT_TRUE(empty);
    detail::table_core<A> core(std::move(*empty), 4, {nullptr, nullptr, &scheme, {}, {}}, how, true);
    random_numbers random(8);
    std::vector<route<A>> there;
    const auto commit = [&](std::span<const edit<A>> edits) {
        const auto done = core.commit(edits);
        return done ? errc::ok : done.error();
    };
    std::size_t largest = 0;
    unsigned refused = 0;
    for (std::uint32_t i = 0; refused < 3 && i < 20'000; ++i) {
        const auto where = prefix<A>::make(random.template address<A>(), A::bits == 32 ? 24 : 48);
        if (core.truth().get(where) != next_hop::none)
            continue;
        const edit<A> added{where, {i % 200}};
        const errc told = commit({&added, 1});
        if (told == errc::ok) {
            there.push_back({where, {i % 200}});
            continue;
        }
        ASSERT_EQ(told, errc::capacity) << i;
        ++refused;
        ASSERT_EQ(core.truth().size(), there.size());
        ASSERT_EQ(core.pending(), 0u);
        auto all = there;
        std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.where < b.where; });
        ASSERT_EQ(routes_of(core.truth()), all);
        ASSERT_NO_FATAL_FAILURE(expect_right<A>(core.out().newest(), all));
        largest = std::max(largest, there.size());
        // Room again for some: a FIB that was patched may be fuller than one that is built.
        std::vector<edit<A>> gone;
        for (std::size_t left = there.size() / 2 + 1; left-- > 0; there.pop_back())
            gone.push_back({there.back().where, next_hop::none});
        ASSERT_EQ(commit(gone), errc::ok);
    }
    EXPECT_EQ(refused, 3u);
    EXPECT_GE(largest, least);
}

constexpr packed_bounds few_lines{.lines = 300};
constexpr packed_bounds few_entries{.entries = 4096};
constexpr packed_bounds few_answers{.ranked_from = 0, .answers = 500};
constexpr std::array rebuilt_or_patched{policy::rebuild, policy::left_right};

TEST(Limits, ALiveTableSaysThatItsLinesHaveEnded) {
    for (const policy how : rebuilt_or_patched) {
        fill_up<ipv6_address, few_lines>(how, 20);
        fill_up<ipv4_address, few_lines>(how, 20);
    }
}
TEST(Limits, ALiveTableSaysThatItsIndexEntriesHaveEnded) {
    for (const policy how : rebuilt_or_patched)
        fill_up<ipv6_address, few_entries>(how, 2);
}
TEST(Limits, ALiveTableSaysThatItsAnswersHaveEnded) {
    for (const policy how : rebuilt_or_patched)
        fill_up<ipv4_address, few_answers>(how, 100);
}

TYPED_TEST(LimitsEachWidth, ABinaryTrieSaysThatItsNodesHaveEnded) {
    using A = TypeParam;
    using trie = binary_trie<A>;
    random_numbers random(4);
    rib<A> truth;
    ASSERT_TRUE(truth.assign(clustered_table<A>(random, 30, 5)));
    std::size_t needed = 1;
    while (!trie::build(truth.to_routes(), {}, needed))
        ++needed;
    EXPECT_EQ(trie::build(truth.to_routes(), {}, needed - 1).error(), errc::capacity);
    EXPECT_EQ(trie::build_in_place(truth.to_routes(), {}, needed - 1).error(), errc::capacity);
    auto fib = trie::build(truth.to_routes(), {}, needed);
    auto in_place = trie::build_in_place(truth.to_routes(), {}, needed);
    ASSERT_TRUE(fib && in_place);
    EXPECT_EQ(in_place->room(), 0u);
    const auto before = routes_of(truth);
    bool refused = false;
    for (unsigned i = 0; i < 100 && !refused; ++i) {
        const auto where = prefix<A>::make(random.template address<A>(), A::bits);
        rib<A> next;
        ASSERT_TRUE(next.assign(before));
        const auto told = next.announce(where, {3});
        ASSERT_TRUE(told);
        if (told->before != next_hop::none)
            continue;
        EXPECT_EQ(fib->apply(*told), errc::capacity);
        EXPECT_EQ(in_place->apply_in_place(*told, 1), errc::capacity);
        expect_right<A>(*fib, before);
        expect_right<A>(*in_place, before);
        refused = true;
    }
    EXPECT_TRUE(refused);
}

TEST(Limits, ADirectTableSaysThatItsCodesHaveEnded) {
    using A = address<12>;
    std::vector<route<A>> all;
    for (std::uint32_t i = 0; i < 9; ++i) // so large that they cannot be codes themselves
        all.push_back({prefix<A>::make({static_cast<A::value_type>(i << 8)}, 4), {0xfffffff0 - i}});
    EXPECT_TRUE(direct_table<A>::build(routes<A>(all), {}, 10)) << "one is for no route";
    EXPECT_EQ(direct_table<A>::build(routes<A>(all), {}, 9).error(), errc::capacity);
}

// Small entries tell 2^15 groups apart: the real number.
TEST(Limits, ADirectTableSaysThatItsGroupsHaveEnded) {
    using A = address<18>;
    using fib_type = direct_table<A, 16, 2>;
    const auto where = [](std::uint32_t group) {
        return prefix<A>::make({static_cast<A::value_type>(group << 2)}, 18);
    };
    constexpr std::uint32_t groups = 1 << 15;
    rib<A> truth;
    for (std::uint32_t i = 0; i < groups - 1; ++i)
        ASSERT_TRUE(truth.insert(where(i), {1}));
    auto fib = fib_type::build(truth.to_routes());
    ASSERT_TRUE(fib);
    const auto last = truth.announce(where(groups - 1), {2});
    ASSERT_TRUE(last);
    ASSERT_EQ(fib->apply(*last), errc::ok);
    const auto one_more = truth.announce(where(groups), {3});
    ASSERT_TRUE(one_more);
    EXPECT_EQ(fib->apply(*one_more), errc::capacity);
    for (std::uint32_t i = 0; i <= groups; ++i)
        ASSERT_EQ(fib->lookup(where(i).first()), (i < groups - 1 ? next_hop{1}
                                                  : i < groups   ? next_hop{2}
                                                                 : next_hop::none))
            << i;
    const auto anew = fib_type::build(truth.to_routes());
    ASSERT_TRUE(anew) << "with larger entries";
    EXPECT_EQ(anew->lookup(where(groups).first()), next_hop{3});
}

TEST(Limits, PlanbHasKernelsForSoManyIntervalsAndNoMore) {
    const auto levels = [](std::size_t intervals) {
        return detail::planb_tree_builder<8, false>(intervals).levels();
    };
    constexpr std::size_t most = 8 * std::size_t{9 * 9 * 9} * 9 * 9 * 9 * 9;
    EXPECT_LT(levels(most), simd::planb_level_counts<8>);
    EXPECT_GE(levels(most + 1), simd::planb_level_counts<8>);
}

} // namespace
} // namespace fingerpost::testing
