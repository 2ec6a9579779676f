// The parts of packed leaves that the general suites reach only with large tables or many changes.
#include <gtest/gtest.h>

#include <vector>

#include "fingerpost/rib/rib.hpp"
#include "fingerpost/schemes/packed_leaves/packed_leaves.hpp"
#include "tests/oracle/verify.hpp"
#include "tests/support/suite.hpp"

namespace fingerpost::testing::of_packed_leaves {
namespace {

using namespace packed_leaves;

// Every choice of kernels with batches of every length up to a few blocks: words and trees of IPv4, and IPv6.
// From 32 short routes on, vectors do not hold the answers of all regions.
template <class Fib, class A>
void expect_right_in_all_kernels(unsigned short_routes) {
    random_numbers random(A::bits);
    clustered_prefixes<A> prefixes(random);
    rib<A> truth;
    for (unsigned i = 0; i < 3'000; ++i)
        ASSERT_TRUE(truth.insert(prefixes.next(), {static_cast<std::uint32_t>(random.below(300))}));
    for (unsigned i = 0; i < short_routes; ++i) {
        const auto first = typename A::value_type{i * 5} << (A::bits - 8);
        ASSERT_TRUE(truth.insert(prefix<A>::make(A{first}, 8), {i}));
    }
    const routes<A> table = truth.to_routes();
    std::vector<A> at(2'000);
    std::vector<next_hop> right;
    for (std::size_t i = 0; i < at.size(); ++i) {
        const A near = table.sorted()[random.below(table.size())].where.last();
        // The second half is mostly in no route, so small tables of first bits have the answer.
        at[i] = i % (i < at.size() / 2 ? 2 : 32) == 0 ? near : random.template address<A>();
        right.push_back(truth.lookup(at[i]));
    }
    std::size_t choices = 0;
    for (const simd::isa isa : simd::available_isas())
        for (const bool gathers : {false, true})
            for (const unsigned block : {32U, 64U})
                for (const bool prefetch : {false, true}) {
                    const simd::tuning how{.gathers = gathers, .block = block, .prefetch = prefetch};
                    const auto fib = Fib::build(table, {.isa = isa, .tuning = how});
                    ASSERT_TRUE(fib);
                    for (std::size_t size = 0; size <= 200; ++size) {
                        const std::size_t from = random.below(at.size() - size);
                        std::vector<next_hop> out(size);
                        fib->lookup(std::span(at).subspan(from, size), out);
                        for (std::size_t i = 0; i < size; ++i)
                            ASSERT_EQ(out[i], right[from + i])
                                << text_of(at[from + i]) << ", " << i << " of " << size << ", "
                                << simd::name_of(isa) << " " << simd::text_of(how);
                    }
                    ++choices;
                }
    EXPECT_GE(choices, 8U);
}
TEST(packed_leaves, every_choice_of_kernels_gives_the_same_answers) {
    expect_right_in_all_kernels<tree_fib<ipv4_address>, ipv4_address>(0);
    expect_right_in_all_kernels<ranked_cells::fib<ipv4_address>, ipv4_address>(40);
    expect_right_in_all_kernels<tree_fib<ipv6_address>, ipv6_address>(0);
    expect_right_in_all_kernels<tree_fib<ipv6_address>, ipv6_address>(40);
}

// Ids too large to be codes: ids that arrive after the build get the remaining codes, in both FIBs of a
// left-right pair.
TEST(packed_leaves, new_next_hops_get_codes_as_long_as_there_are_any) {
    using A = ipv4_address;
    const auto hop_of = [](std::uint32_t i) { return next_hop{0x80000000U - i * 0x1000U}; };
    const auto prefix_of = [](std::uint32_t i) { return prefix<A>::make(A{i << 16}, 16); };
    rib<A> truth;
    ASSERT_TRUE(truth.insert(prefix_of(0), hop_of(0)));
    ASSERT_TRUE(truth.insert(prefix_of(1), hop_of(1)));
    std::vector<packed_leaves::fib<A>> pair;
    for (unsigned i = 0; i < 2; ++i) {
        auto built = packed_leaves::fib<A>::build(truth.to_routes());
        ASSERT_TRUE(built);
        pair.push_back(std::move(*built));
    }
    const auto expect_right = [&](const packed_leaves::fib<A>& fib, std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i)
            ASSERT_EQ(fib.lookup(prefix_of(i).last()), hop_of(i));
    };
    constexpr std::uint32_t codes =
        255 - least_regions; // one-byte codes, except those of regions and the escape
    for (std::uint32_t i = 2; i < codes; ++i) {
        packed_leaves::fib<A>& behind = pair[i % 2];
        ASSERT_EQ(behind.sync_from(pair[1 - i % 2]), errc::ok);
        const auto told = truth.announce(prefix_of(i), hop_of(i));
        ASSERT_TRUE(told);
        ASSERT_EQ(behind.apply(*told), errc::ok) << i;
        behind.begin_publish();
        ASSERT_NO_FATAL_FAILURE(expect_right(behind, i + 1));
        ASSERT_NO_FATAL_FAILURE(expect_right(pair[1 - i % 2], i));
    }
    const auto one_more = truth.announce(prefix_of(codes), hop_of(codes));
    ASSERT_TRUE(one_more);
    EXPECT_EQ(pair[(codes - 1) % 2].apply(*one_more), errc::capacity);
}

// A table grows to ten times the routes with which it was built. Each tree overflows and splits: between
// cells, or inside a cell that has nearly all of its routes.
TEST(packed_leaves, trees_that_overflow_are_parted) {
    using A = ipv6_address;
    for (const unsigned spread : {30U, 26U}) { // bits in which routes differ
        random_numbers random(9);
        const auto some_hop = [&] { return next_hop{static_cast<std::uint32_t>(random.below(1'000))}; };
        constexpr A::value_type block = A::value_type{0x2001} << 112;
        const auto random_prefix = [&] {
            return prefix<A>::make(A{block | A::value_type{random.below(std::uint64_t{1} << spread)} << 80},
                                   48);
        };
        rib<A> truth;
        for (unsigned i = 0; i < 1'500; ++i)
            ASSERT_TRUE(truth.insert(random_prefix(), some_hop()));
        auto fib = packed_leaves::fib<A>::build(truth.to_routes());
        ASSERT_TRUE(fib);
        unsigned built_anew = 0;
        for (unsigned i = 0; i < 15'000; ++i) {
            const auto told = truth.announce(random_prefix(), some_hop());
            ASSERT_TRUE(told);
            if (fib->apply(*told) != errc::ok) {
                fib = packed_leaves::fib<A>::build(truth.to_routes());
                ASSERT_TRUE(fib);
                ++built_anew;
            }
        }
        const routes<A> table = truth.to_routes();
        const std::vector<A> at = addresses_to_try<A>(table.sorted());
        const auto wrong = oracle::verify<A>(*fib, at, oracle_answers<A>(table.sorted(), at));
        EXPECT_FALSE(wrong) << text_of(wrong->address);
        EXPECT_LE(built_anew, 1U) << spread;
    }
}

// Index entries that are answers stay unchanged when trees are packed, also with 32-bit codes.
TEST(packed_leaves, packs_its_trees_and_keeps_wide_answers) {
    using A = ipv6_address;
    random_numbers random(7);
    const auto some_hop = [&] {
        return next_hop{0x80000000U + static_cast<std::uint32_t>(random.next() >> 33)};
    };
    // Half of a /16 has /24 routes and nothing below them; the other half has many longer routes.
    constexpr A::value_type block = A::value_type{0x2001} << 112;
    const auto wide = [&](std::uint64_t i) { return A{block | A::value_type{i} << 104}; };
    const auto random_prefix = [&] {
        const std::uint64_t below = (std::uint64_t{1} << 47) | random.next() >> 17;
        return prefix<A>::make(A{block | A::value_type{below} << 64},
                               static_cast<unsigned>(36 + random.below(13)));
    };
    rib<A> truth;
    for (std::uint64_t i = 0; i < 128; ++i)
        ASSERT_TRUE(truth.insert(prefix<A>::make(wide(i), 24), some_hop()));
    for (unsigned i = 0; i < 70'000; ++i)
        ASSERT_TRUE(truth.insert(random_prefix(), some_hop()));
    auto built = packed_leaves::fib<A>::build(truth.to_routes());
    ASSERT_TRUE(built);
    packed_leaves::fib<A> fib = std::move(*built);

    const auto expect_right = [&](unsigned probes) {
        for (unsigned i = 0; i < probes; ++i) {
            const A a = i % 4 == 0 ? wide(random.below(128)) : random_prefix().last();
            ASSERT_EQ(fib.lookup(a), truth.lookup(a));
        }
    };
    unsigned packed = 0;
    unsigned built_anew = 0;
    for (unsigned i = 0; i < 25'000; ++i) {
        const prefix<A> p = random_prefix();
        // In half of the cases, withdraw a route near a random one.
        const auto there = random.below(2) == 0 ? truth.match(p.base) : std::nullopt;
        const auto told = there ? truth.withdraw(there->where) : truth.announce(p, some_hop());
        ASSERT_TRUE(told);
        const std::size_t before = fib.memory_bytes();
        if (fib.apply(*told) != errc::ok) {
            auto again = packed_leaves::fib<A>::build(truth.to_routes());
            ASSERT_TRUE(again);
            fib = std::move(*again);
            ++built_anew;
        } else if (fib.memory_bytes() < before - before / 50) {
            ++packed;
            ASSERT_NO_FATAL_FAILURE(expect_right(3'000));
        }
    }
    ASSERT_NO_FATAL_FAILURE(expect_right(10'000));
    EXPECT_GT(packed, 0U);
    EXPECT_LT(built_anew, 10U);
}

} // namespace
} // namespace fingerpost::testing::of_packed_leaves
