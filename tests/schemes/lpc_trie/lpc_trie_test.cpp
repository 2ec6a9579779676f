// Nodes that double, halve and disappear, leaves with several routes, and suffixes that get shorter.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "fingerpost/schemes/lpc_trie/lpc_trie.hpp"
#include "tests/support/limits.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_lpc_trie {
namespace {

namespace lpc = fingerpost::lpc_trie;
using seen_node = std::tuple<unsigned, std::string, std::string, std::size_t>;

template <class A>
class LpcTrieEachWidth : public ::testing::Test {};
using widths = ::testing::Types<address<12>, ipv4_address, ipv6_address>;
TYPED_TEST_SUITE(LpcTrieEachWidth, widths);

template <class A>
lpc::fib<A> built(const rib<A>& truth) {
    auto made = lpc::fib<A>::build(truth.to_routes());
    EXPECT_TRUE(made);
    return std::move(*made);
}
prefix<ipv4_address> ipv4(std::uint32_t base, unsigned length) {
    return prefix<ipv4_address>::make({base}, length);
}
// Level, kind, the addresses that the node answers, and its children.
template <class A>
std::vector<seen_node> nodes_of(const lpc::fib<A>& fib) {
    std::vector<seen_node> seen;
    fib.visit([&](const structure_node<A>& n) {
        const unsigned length = common_length(n.first, n.last);
        seen.emplace_back(n.level, std::string(n.kind), text_of(n.first) + "/" + std::to_string(length),
                          n.children);
    });
    return seen;
}
template <class A>
void change_and_expect_right(lpc::fib<A>& fib, rib<A>& truth, const expected<change<A>>& told) {
    ASSERT_TRUE(told);
    ASSERT_EQ(fib.apply(*told), errc::ok);
    expect_right<A>(fib, routes_of(truth));
}

TYPED_TEST(LpcTrieEachWidth, TakesItsFormulaOfMemory) {
    using A = TypeParam;
    random_numbers random(5);
    rib<A> truth;
    ASSERT_TRUE(truth.assign(clustered_table<A>(random, 4'000, 5)));
    const auto fib = built(truth);
    std::size_t routes = 0;
    fib.visit([&](const structure_node<A>& n) {
        const bool wide = A::bits > 64;
        if (n.kind == "tnode") {
            const std::size_t slots = (n.bytes - (wide ? 32 : 24)) / 8;
            EXPECT_EQ(slots & (slots - 1), 0U);
            EXPECT_GE(n.children, 2U);
            EXPECT_GE(n.children * 4, slots) << "a quarter is taken";
        } else {
            EXPECT_EQ(n.bytes, n.kind == "alias" ? 12U : wide ? 32U : 16U);
            ++routes;
        }
    });
    EXPECT_EQ(routes, truth.size());
}

TYPED_TEST(LpcTrieEachWidth, SaysThatItsNodesHaveEnded) {
    using A = TypeParam;
    random_numbers random(4);
    rib<A> truth;
    ASSERT_TRUE(truth.assign(clustered_table<A>(random, 30, 5)));
    std::size_t needed = 1;
    while (!lpc::fib<A>::build(truth.to_routes(), {}, needed))
        ++needed;
    expect_least<lpc::fib<A>>(routes_of(truth), needed);
    auto fib = lpc::fib<A>::build(truth.to_routes(), {}, needed);
    ASSERT_TRUE(fib);
    errc refused = errc::ok;
    for (unsigned i = 0; i < 1000 && refused == errc::ok; ++i) {
        const auto told = truth.announce(prefix<A>::make(random.template address<A>(), A::bits), {3});
        ASSERT_TRUE(told);
        refused = fib->apply(*told);
    }
    EXPECT_EQ(refused, errc::capacity);
}

// The trie on the page of this scheme.
TEST(lpc_trie, has_the_nodes_that_one_would_draw) {
    using A = ipv4_address;
    rib<A> truth;
    ASSERT_TRUE(truth.insert(ipv4(0x0a000000, 8), {1}));
    ASSERT_TRUE(truth.insert(ipv4(0x0a000000, 16), {2}));
    ASSERT_TRUE(truth.insert(ipv4(0x0a010000, 16), {3}));
    for (std::uint32_t i = 0; i < 4; ++i)
        ASSERT_TRUE(truth.insert(ipv4(0x0a020000 + i * 16, 28), {4 + i}));
    auto fib = built(truth);
    std::vector<seen_node> expected{
        {0, "tnode", "10.0.0.0/8", 3},  {1, "leaf", "10.0.0.0/8", 1},   {2, "alias", "10.0.0.0/8", 0},
        {1, "leaf", "10.1.0.0/16", 0},  {1, "tnode", "10.2.0.0/26", 4}, {2, "leaf", "10.2.0.0/28", 0},
        {2, "leaf", "10.2.0.16/28", 0}, {2, "leaf", "10.2.0.32/28", 0}, {2, "leaf", "10.2.0.48/28", 0}};
    EXPECT_EQ(nodes_of(fib), expected);

    // When the longest suffix disappears, the nodes above cover fewer addresses. Nodes disappear with their
    // leaves.
    change_and_expect_right(fib, truth, truth.withdraw(ipv4(0x0a000000, 8)));
    std::get<2>(expected[0]) = "10.0.0.0/14";
    expected[1] = {1, "leaf", "10.0.0.0/16", 0};
    expected.erase(expected.begin() + 2);
    EXPECT_EQ(nodes_of(fib), expected);
    for (std::uint32_t i = 0; i < 3; ++i)
        change_and_expect_right(fib, truth, truth.withdraw(ipv4(0x0a020000 + i * 16, 28)));
    expected = {{0, "tnode", "10.0.0.0/14", 3},
                {1, "leaf", "10.0.0.0/16", 0},
                {1, "leaf", "10.1.0.0/16", 0},
                {1, "leaf", "10.2.0.48/28", 0}};
    EXPECT_EQ(nodes_of(fib), expected);
}

// After the route with the long suffix was withdrawn, the search does not look for a route in other leaves.
TEST(lpc_trie, does_not_turn_back_for_routes_that_have_gone) {
    using A = ipv4_address;
    rib<A> truth;
    for (std::uint32_t i = 0; i < 256; ++i)
        ASSERT_TRUE(truth.insert(ipv4(0x0a000000 + i * 256, 28), {i}));
    ASSERT_TRUE(truth.insert(ipv4(0x0a000000, 8), {1000}));
    auto fib = built(truth);
    const A sought{0x0a00ffff};
    const auto steps = [&] {
        std::size_t count = 0;
        fib.trace(sought, [&](const trace_step&) { ++count; });
        return count;
    };
    EXPECT_EQ(fib.lookup(sought), next_hop{1000});
    const std::size_t with_cover = steps();
    change_and_expect_right(fib, truth, truth.withdraw(ipv4(0x0a000000, 8)));
    EXPECT_EQ(fib.lookup(sought), next_hop::none);
    EXPECT_GE(with_cover, steps() + 8) << "one for each bit of the index that is cleared";
    EXPECT_EQ(steps(), 2U) << "the key and a slot of the only node";
}

// A block of neighbouring routes, changed without a rebuild: the root grows to twice as many slots as routes,
// and shrinks again.
TEST(lpc_trie, doubles_and_halves_the_node_of_a_dense_block) {
    using A = ipv4_address;
    constexpr std::uint32_t count = 1u << 17;
    const auto where = [](std::uint32_t i) { return leading<A>(0x280000 + i, 24); };
    std::vector<std::uint32_t> order(count);
    for (std::uint32_t i = 0; i < count; ++i)
        order[i] = i;
    random_numbers random(17);
    for (std::size_t i = count; i > 1; --i)
        std::swap(order[i - 1], order[random.below(i)]);

    lpc::nodes<A> all;
    lpc::editor<A> changes(all);
    unsigned widest = 0;
    for (const std::uint32_t i : order) {
        ASSERT_EQ(changes.insert(where(i), {i}), errc::ok);
        widest = std::max<unsigned>(widest, all.root.bits);
    }
    EXPECT_EQ(all.root.bits, 18U) << "all in one node, half of whose slots are taken";
    EXPECT_EQ(widest, 18U);
    EXPECT_EQ(all.tnodes.live_elements(), all.words_of(18));
    const auto answer = [&](std::uint32_t i) {
        const lpc::walker<A> way(all);
        auto w = way.start(where(i).last());
        while (way.step(w)) {
        }
        return w.best;
    };
    std::size_t left = count;
    unsigned narrowest = widest;
    for (; left > 100; --left) {
        bool leaf_goes = false;
        ASSERT_EQ(changes.erase(where(order[left - 1]), leaf_goes), errc::ok);
        ASSERT_TRUE(leaf_goes);
        ASSERT_EQ(answer(order[left - 1]), next_hop::none);
        ASSERT_EQ(answer(order[left / 2]), next_hop{order[left / 2]});
        ASSERT_LE(all.root.bits, narrowest) << "it only shrinks";
        narrowest = all.root.bits;
    }
    EXPECT_LE(narrowest, 10U);
    EXPECT_EQ(all.leaves.size(), left);
    for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(answer(order[i]), (i < left ? next_hop{order[i]} : next_hop::none));
    while (left-- > 0) {
        bool leaf_goes = false;
        ASSERT_EQ(changes.erase(where(order[left]), leaf_goes), errc::ok);
    }
    EXPECT_FALSE(all.root.there());
    EXPECT_EQ(all.tnodes.live_elements(), 0U);
}

} // namespace
} // namespace fingerpost::testing::of_lpc_trie
