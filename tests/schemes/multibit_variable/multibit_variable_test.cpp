// The variable-stride trie from within: the strides that were found, memory by the formula, limits.
#include "fingerpost/schemes/multibit_variable/multibit_variable.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "tests/support/figure_1.hpp"

namespace fingerpost::testing {
namespace {

// A root of 4 bits is the best with two levels for the paper's Figure 1, and 26 slots in all.
struct two_levels {
    using type = strides_by_slot;
    variable_plan found;
    type root{};

    explicit two_levels(std::span<const route<address<7>>> sorted)
        : found(variable_plan::of<address<7>>(sorted, {.levels = 2})) {
        root.of_root = static_cast<std::uint8_t>(found.stride(0, 0, 2));
    }
    const type& strides() const noexcept { return root; }
    unsigned of_node(std::size_t first, unsigned depth, unsigned level) const noexcept {
        return found.stride(first, depth, 2 - level);
    }
};

TEST(multibit_variable, has_the_nodes_of_the_best_plan_for_figure_1) {
    using seven = address<7>;
    const routes<seven> table(figure_1());
    const auto fib = *pushed_fib<seven, two_levels>::build(table);
    std::map<unsigned, std::uint64_t> bytes; // by the first address
    fib.visit([&](const structure_node<seven>& n) { bytes[n.level * 1000 + n.first.value] = n.bytes; });
    const std::map<unsigned, std::uint64_t> right{
        {0, 16 * 4}, {1000 + 0b1000000, 8 * 4}, {1000 + 0b1100000, 2 * 4}};
    EXPECT_EQ(bytes, right);
    EXPECT_EQ(fib.lookup(seven{0b1000001}).id, 7U);
    EXPECT_EQ(fib.lookup(seven{0b1100100}).id, 3U);
    EXPECT_EQ(fib.lookup(seven{0b1100000}).id, 4U);
}

// What the program says, less the price of the accesses: a visit of all nodes counts the slots, and those of
// a match are as many nodes as contain the route.
template <class A>
void expect_memory_by_formula(std::size_t size) {
    random_numbers random(3);
    const routes<A> table(clustered_table<A>(random, size, 0xffffff));
    const auto sorted = table.sorted();
    const auto others = sorted.subspan(sorted.front().where.length == 0 ? 1 : 0);
    const auto plan = variable_plan::of<A>(others, {.widest = 16, .widest_root = 20, .access_price = 8});
    const auto open = multibit_variable::fib<A>::build(table);
    std::uint64_t slots = 0;
    std::uint64_t accesses = 0;
    open->visit([&](const structure_node<A>& node) {
        slots += node.bytes / 8;
        const unsigned length = common_length(node.first, node.last);
        const auto begin = std::ranges::lower_bound(others, node.first, {},
                                                    [](const route<A>& r) { return r.where.first(); });
        for (auto r = begin; r != others.end() && r->where.first() <= node.last; ++r)
            accesses += r->where.length > length ? 1 : 0;
    });
    EXPECT_EQ(slots + 8 * accesses, plan.cost());
    EXPECT_GE(open->memory_bytes(), slots * 8);
    EXPECT_LE(open->memory_bytes(), slots * 8 + slots * 8 / 100 + 1000);
    const auto pushed = multibit_variable::pushed<A>::build(table);
    EXPECT_GE(pushed->memory_bytes(), slots * 4 - slots * 4 / 100);
    EXPECT_LE(pushed->memory_bytes(), slots * 4 + slots * 4 / 100 + 1000);
}
TEST(multibit_variable, takes_the_memory_of_the_formula) {
    expect_memory_by_formula<ipv4_address>(20'000);
    expect_memory_by_formula<ipv6_address>(20'000);
}

TEST(multibit_variable, refuses_what_does_not_fit) {
    random_numbers random(3);
    const routes<ipv6_address> table(clustered_table<ipv6_address>(random, 1000, 9));
    EXPECT_EQ(multibit_variable::fib<ipv6_address>::build(table, {}, 1000).error(), errc::capacity);
    EXPECT_EQ(multibit_variable::pushed<ipv6_address>::build(table, {}, 1000).error(), errc::capacity);
}

// A route far below all others gets nodes of four bits, which go with it.
TEST(multibit_variable, begins_and_ends_nodes_for_a_long_route) {
    const routes<ipv6_address> table(
        {{leading<ipv6_address>(0x20010db8, 32), {1}}, {leading<ipv6_address>(0x20010db9, 32), {2}}});
    auto fib = *multibit_variable::fib<ipv6_address>::build(table);
    const auto count = [&] {
        std::size_t nodes = 0;
        fib.visit([&](const auto&) { ++nodes; });
        return nodes;
    };
    const std::size_t before = count();
    const auto host = prefix<ipv6_address>::make(table.sorted()[0].where.last(), 128);
    ASSERT_EQ(
        fib.apply({.where = host, .after = {3}, .cover = {1}, .cover_length = 32, .affected_ranges = {}}),
        errc::ok);
    EXPECT_EQ(count(), before + 96 / 4);
    EXPECT_EQ(fib.lookup(host.base).id, 3U);
    EXPECT_EQ(fib.lookup({host.base.value - 1}).id, 1U);
    ASSERT_EQ(
        fib.apply({.where = host, .before = {3}, .cover = {1}, .cover_length = 32, .affected_ranges = {}}),
        errc::ok);
    EXPECT_EQ(count(), before);
    EXPECT_EQ(fib.lookup(host.base).id, 1U);
}

} // namespace
} // namespace fingerpost::testing
