// The path-compressed trie, compared with a std::map through random operations, and its memory.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "fingerpost/rib/path_trie.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/tables/tables.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_path_trie {
namespace {

template <class A>
using model = std::map<prefix<A>, next_hop>;

// Prefixes that nest, are adjacent or diverge late: at most two bits of a base change. Addresses that diverge
// near the root then agree further down, which must not mislead the stems of forks.
template <class A>
prefix<A> random_prefix(random_numbers& random, A base) {
    using value = typename A::value_type;
    value bits = base.value;
    for (unsigned i = static_cast<unsigned>(random.next() % 3); i > 0; --i)
        bits ^= static_cast<value>(value{1} << (random.next() % A::bits));
    if (random.next() % 8 == 0)
        bits = random.template address<A>().value;
    return prefix<A>::make(A{bits}, static_cast<unsigned>(random.next() % (A::bits + 1)));
}

template <class A>
std::vector<route<A>> routes_of(const model<A>& right) {
    std::vector<route<A>> all;
    for (const auto& [where, hop] : right)
        all.push_back({where, hop});
    return all;
}

template <class A>
std::vector<route<A>> collect(const typename path_trie<A>::range& range) {
    std::vector<route<A>> all;
    for (const route<A>& r : range)
        all.push_back(r);
    return all;
}

// Checks every query for `p` and its first address against a scan over all routes.
template <class A>
void expect_same_answers(const path_trie<A>& trie, const model<A>& right, const prefix<A>& p) {
    std::vector<route<A>> covers, covered;
    std::optional<route<A>> longest;
    next_hop exact = next_hop::none;
    for (const auto& [where, hop] : right) {
        if (where.covers(p) && where != p)
            covers.push_back({where, hop});
        if (p.covers(where))
            covered.push_back({where, hop});
        if (where == p)
            exact = hop;
        if (where.contains(p.base) && (!longest || longest->where.length < where.length))
            longest = {where, hop};
    }
    ASSERT_EQ(trie.get(p), exact);
    ASSERT_EQ(trie.match(p.base), longest);
    ASSERT_EQ(trie.lookup(p.base), longest ? longest->hop : next_hop::none);
    ASSERT_EQ(collect<A>(trie.covered(p)), covered);
    std::vector<route<A>> downwards, upwards;
    trie.for_each_cover(p, [&](const route<A>& r) { downwards.push_back(r); });
    trie.for_each_cover_upwards(p, [&](const route<A>& r) { upwards.insert(upwards.begin(), r); });
    ASSERT_EQ(downwards, covers);
    ASSERT_EQ(upwards, covers);
    if (p.length > 0) {
        ASSERT_EQ(trie.match(p.base, p.length - 1u),
                  covers.empty() ? std::nullopt : std::optional(covers.back()));
    }
}

template <class A>
void expect_same_routes(const path_trie<A>& trie, const model<A>& right) {
    ASSERT_EQ(trie.size(), right.size());
    ASSERT_EQ(collect<A>(trie.routes()), routes_of<A>(right));
    const std::vector<route<A>> sorted = routes_of<A>(right);
    path_trie<A> built;
    ASSERT_EQ(built.build(sorted), errc::ok);
    ASSERT_EQ(collect<A>(built.routes()), sorted);
    for (const route<A>& r : sorted) {
        ASSERT_EQ(built.lookup(r.where.last()), trie.lookup(r.where.last()));
        ASSERT_EQ(built.get(r.where), r.hop);
    }
}

template <class A>
void erase_and_compare(path_trie<A>& trie, model<A>& right, const prefix<A>& p) {
    const auto found = right.find(p);
    const auto erased = trie.erase(p);
    if (found == right.end()) {
        ASSERT_FALSE(erased);
        ASSERT_EQ(erased.error(), errc::not_found);
    } else {
        ASSERT_TRUE(erased);
        ASSERT_EQ(*erased, found->second);
        right.erase(found);
    }
}

template <class A>
void insert_and_compare(path_trie<A>& trie, model<A>& right, const prefix<A>& p, next_hop hop) {
    const auto found = right.find(p);
    const auto before = trie.insert(p, hop);
    ASSERT_TRUE(before);
    ASSERT_EQ(*before, found == right.end() ? next_hop::none : found->second);
    right[p] = hop;
}

template <class A>
class PathTrie : public ::testing::Test {};
using widths = ::testing::Types<address<12>, address<32>, address<128>>;
TYPED_TEST_SUITE(PathTrie, widths);

TYPED_TEST(PathTrie, RandomOperationsGiveWhatAMapGives) {
    using A = TypeParam;
    random_numbers random(A::bits);
    std::size_t erased = 0;
    for (std::size_t round = 0; round < scaled(20); ++round) {
        path_trie<A> trie;
        model<A> right;
        const A base = random.template address<A>();
        for (unsigned i = 0; i < 300; ++i) {
            const prefix<A> p = random_prefix<A>(random, base);
            // The table grows in the first half of a round and shrinks in the second.
            if (random.next() % 10 < (i < 150 ? 2u : 6u)) {
                const std::size_t before = right.size();
                // Mostly an existing prefix.
                const bool any = right.empty() || random.next() % 4 == 0;
                const auto chosen =
                    any ? p
                        : std::next(right.begin(), static_cast<long>(random.next() % right.size()))->first;
                ASSERT_NO_FATAL_FAILURE(erase_and_compare(trie, right, chosen));
                erased += before - right.size();
            } else {
                const next_hop hop{static_cast<std::uint32_t>(random.next() % 5)};
                ASSERT_NO_FATAL_FAILURE(insert_and_compare(trie, right, p, hop));
            }
            ASSERT_NO_FATAL_FAILURE(expect_same_answers(trie, right, random_prefix<A>(random, base)));
            if (i % 50 == 0) {
                ASSERT_NO_FATAL_FAILURE(expect_same_routes(trie, right));
            }
        }
        ASSERT_NO_FATAL_FAILURE(expect_same_routes(trie, right));
        while (!right.empty())
            ASSERT_NO_FATAL_FAILURE(erase_and_compare(trie, right, prefix<A>(right.begin()->first)));
        trie.compact();
        ASSERT_EQ(trie.memory_bytes(), 0u);
    }
    EXPECT_GE(erased, scaled(20) * 20);
}

TYPED_TEST(PathTrie, AllLengthsOnOneAddressErasedInAnyOrder) {
    using A = TypeParam;
    random_numbers random(A::bits);
    const A base = random.template address<A>();
    path_trie<A> trie;
    model<A> right;
    std::vector<prefix<A>> chain;
    for (unsigned length = 0; length <= A::bits; ++length)
        chain.push_back(prefix<A>::make(base, length));
    std::shuffle(chain.begin(), chain.end(), std::mt19937_64(random.next()));
    for (const prefix<A>& p : chain)
        ASSERT_NO_FATAL_FAILURE(insert_and_compare(trie, right, p, next_hop{p.length}));
    EXPECT_EQ(trie.lookup(base), next_hop{A::bits});
    std::shuffle(chain.begin(), chain.end(), std::mt19937_64(random.next()));
    for (const prefix<A>& p : chain) {
        ASSERT_NO_FATAL_FAILURE(erase_and_compare(trie, right, p));
        ASSERT_EQ(trie.lookup(base), right.empty() ? next_hop::none : right.rbegin()->second);
    }
}

// Two forks whose sub-trees agree in the 32 bits before them, but not in earlier ones. Only the keys of the
// routes can distinguish them.
TEST(PathTrieStem, RoutesThatPartAboveTheStemAreFoundOut) {
    using A = address<128>;
    const A low{0x1};
    const A astray{u128{1} << 127 | 0x1};
    path_trie<A> trie;
    ASSERT_TRUE(trie.insert(prefix<A>::make(A{0}, 128), next_hop{1}));
    ASSERT_TRUE(trie.insert(prefix<A>::make(low, 128), next_hop{2}));
    EXPECT_EQ(trie.lookup(astray), next_hop::none);
    EXPECT_EQ(trie.match(astray), std::nullopt);
    ASSERT_TRUE(trie.insert(prefix<A>::make(astray, 128), next_hop{3}));
    EXPECT_EQ(trie.lookup(astray), next_hop{3});
    EXPECT_EQ(trie.lookup(low), next_hop{2});
    EXPECT_EQ(trie.get(prefix<A>::make(A{0}, 128)), next_hop{1});
}

// Routes without nesting need the most forks. They are inserted one by one, so that the slack of the pools
// counts.
template <class A>
void expect_frugal(unsigned length) {
    const std::size_t wanted = scaled(1'000'000);
    random_numbers random(length);
    path_trie<A> trie;
    std::vector<prefix<A>> in;
    while (trie.size() < wanted) {
        const prefix<A> p = prefix<A>::make(random.template address<A>(), length);
        ASSERT_TRUE(trie.insert(p, next_hop{7}));
        in.push_back(p);
    }
    EXPECT_LT(static_cast<double>(trie.memory_bytes()) / static_cast<double>(wanted), 64.0);
    const std::size_t full = trie.memory_bytes();
    // Freed nodes are reused: half of the table is withdrawn and announced again.
    for (std::size_t i = 0; i < in.size(); i += 2)
        (void)trie.erase(in[i]).has_value();
    EXPECT_LT(trie.size(), wanted * 6 / 10);
    for (std::size_t i = 0; i < in.size(); i += 2)
        ASSERT_TRUE(trie.insert(in[i], next_hop{8}));
    EXPECT_EQ(trie.size(), wanted);
    EXPECT_EQ(trie.memory_bytes(), full);
    for (const prefix<A>& p : in)
        (void)trie.erase(p).has_value();
    trie.compact();
    EXPECT_EQ(trie.memory_bytes(), 0u);
}

TEST(PathTrieMemory, AMillionRoutesTakeLessThan64BytesEach) {
    expect_frugal<ipv6_address>(64);
    expect_frugal<ipv4_address>(28);
}

} // namespace
} // namespace fingerpost::testing::of_path_trie
