// Sklower's tree: the nodes and masks of a handmade example, backtracking, memory and limits.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fingerpost/schemes/bsd_radix/bsd_radix.hpp"
#include "tests/support/limits.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_bsd_radix {
namespace {

template <class A>
class BsdRadixEachWidth : public ::testing::Test {};
using widths = ::testing::Types<address<12>, ipv4_address, ipv6_address>;
TYPED_TEST_SUITE(BsdRadixEachWidth, widths);

template <class A>
bsd_radix::fib<A> built(const rib<A>& truth) {
    auto made = bsd_radix::fib<A>::build(truth.to_routes());
    EXPECT_TRUE(made);
    return std::move(*made);
}

// No node tests bit 3, which is equal in all routes except the shortest. A search for an address that differs
// there runs to the end of the chain, and back past the masks of all its routes.
TYPED_TEST(BsdRadixEachWidth, TriesTheMasksOfAWrongSubtree) {
    using A = TypeParam;
    using value = typename A::value_type;
    const A end{static_cast<value>(value{1} << (A::bits - 1) | low_mask<value>(A::bits - 4))};
    rib<A> truth;
    for (unsigned length = 5; length <= A::bits; ++length)
        ASSERT_TRUE(truth.insert(prefix<A>::make(end, length), {length}));
    ASSERT_TRUE(truth.insert(prefix<A>::make(end, 1), {1}));
    const auto fib = built(truth);
    const A astray{static_cast<value>(end.value | value{1} << (A::bits - 4))};
    std::size_t leaves = 0;
    std::size_t masks = 0;
    const auto count = [&](const trace_step& step) {
        leaves += step.part == "leaves" ? 1 : 0;
        masks += step.part == "masks" ? 1 : 0;
    };
    EXPECT_EQ(fib.trace(astray, count), next_hop{1});
    EXPECT_GT(leaves, 1u) << "a walk is repeated";
    EXPECT_GT(masks, 0u);
}

// Each route has a leaf and at most one mask; there is one inner node fewer than keys.
TYPED_TEST(BsdRadixEachWidth, TakesItsFormulaOfMemory) {
    using A = TypeParam;
    random_numbers random(5);
    rib<A> truth;
    ASSERT_TRUE(truth.assign(clustered_table<A>(random, 4'000, 5)));
    const auto fib = built(truth);
    std::vector<A> keys;
    for (const route<A>& r : routes_of(truth))
        keys.push_back(r.where.base);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    std::size_t nodes = 0, leaves = 0, masks = 0, formula = 0;
    fib.visit([&](const structure_node<A>& n) {
        nodes += n.kind == "node" ? 1 : 0;
        leaves += n.kind == "leaf" ? 1 : 0;
        masks += n.kind == "mask" ? 1 : 0;
        formula += n.bytes;
    });
    EXPECT_EQ(leaves, truth.size());
    EXPECT_EQ(nodes, keys.size() - 1);
    EXPECT_LE(masks, truth.size());
    EXPECT_EQ(formula, leaves * (A::bits <= 32 ? 20 : 32) + nodes * 20 + masks * 8);
}

TYPED_TEST(BsdRadixEachWidth, SaysThatItsNodesHaveEnded) {
    using A = TypeParam;
    using tree = bsd_radix::fib<A>;
    rib<A> truth;
    for (unsigned length = 1; length <= 4; ++length)
        ASSERT_TRUE(truth.insert(prefix<A>::make(A::last(), length), {length}));
    expect_least<tree>(routes_of(truth), 4);
    auto fib = tree::build(truth.to_routes(), {}, 4);
    ASSERT_TRUE(fib);
    const auto told = truth.announce(prefix<A>::make(A::first(), 4), {9});
    ASSERT_TRUE(told);
    EXPECT_EQ(fib->apply(*told), errc::capacity);
}

// The tree on the page of this scheme.
TEST(bsd_radix, has_the_nodes_that_one_would_draw) {
    using A = ipv6_address;
    rib<A> truth;
    ASSERT_TRUE(truth.insert(prefix<A>{}, {1}));
    ASSERT_TRUE(truth.insert(leading<A>(0x20010db8, 32), {2}));
    ASSERT_TRUE(truth.insert(leading<A>(0x20010db80000, 48), {3}));
    ASSERT_TRUE(truth.insert(leading<A>(0x20010db88000, 48), {4}));
    const auto seen_in = [](const bsd_radix::fib<A>& fib) {
        std::vector<std::string> seen;
        fib.visit([&](const structure_node<A>& n) {
            seen.push_back(std::to_string(n.level) + " " + std::string(n.kind) + " " + text_of(n.first) +
                           "/" + std::to_string(common_length(n.first, n.last)));
        });
        return seen;
    };
    auto fib = built(truth);
    std::vector<std::string> right{
        "0 node ::/0",          "1 mask ::/0",          "1 leaf ::/0",          "1 node ::/0",
        "2 mask 2001:db8::/32", "2 leaf 2001:db8::/48", "2 leaf 2001:db8::/32", "2 leaf 2001:db8:8000::/48"};
    EXPECT_EQ(seen_in(fib), right);
    // The node and its mask disappear with one of its leaves, because no other key remains below the /32.
    const auto gone = truth.withdraw(leading<A>(0x20010db88000, 48));
    ASSERT_TRUE(gone);
    ASSERT_EQ(fib.apply(*gone), errc::ok);
    right = {"0 node ::/0", "1 mask ::/0", "1 leaf ::/0", "1 leaf 2001:db8::/48", "1 leaf 2001:db8::/32"};
    EXPECT_EQ(seen_in(fib), right);
}

} // namespace
} // namespace fingerpost::testing::of_bsd_radix
