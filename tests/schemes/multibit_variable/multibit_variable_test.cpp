// The structure of the variable-stride trie: the chosen strides, memory by the formula, and limits.
#include "fingerpost/schemes/multibit_variable/multibit_variable.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/tables/figure_1.hpp"

namespace fingerpost::testing::of_multibit_variable {
namespace {

// For the paper's Figure 1 with two levels, a root of 4 bits is optimal, with 26 slots in all.
struct two_levels {
    using type = strides_by_slot;
    variable_plan found;
    type root{};

    two_levels(std::span<const route<address<7>>> sorted, const multibit::plan_facts&)
        : found(variable_plan::of<address<7>>(sorted, {.levels = 2})) {
        root.of_root = static_cast<std::uint8_t>(found.stride(0, 0, 2));
    }
    const type& strides() const noexcept { return root; }
    unsigned of_node(std::size_t first, unsigned depth, unsigned level, bool) const noexcept {
        return found.stride(first, depth, 2 - level);
    }
};

// By level and first address.
using shown_nodes = std::map<unsigned, std::pair<std::string, std::uint64_t>>;
template <class F>
shown_nodes nodes_of(const F& fib) {
    shown_nodes nodes;
    fib.visit([&](const structure_node<address<7>>& n) {
        nodes[n.level * 1000 + n.first.value] = {std::string(n.kind), n.bytes};
    });
    return nodes;
}

TEST(multibit_variable, has_the_nodes_of_the_best_plan_for_figure_1) {
    using seven = address<7>;
    const routes<seven> table(figure_1());
    const auto open = *open_fib<seven, two_levels>::build(table);
    const shown_nodes right{
        {0, {"node", 16 * 8}}, {1000 + 0b1000000, {"node", 8 * 8}}, {1000 + 0b1100000, {"node", 2 * 8}}};
    EXPECT_EQ(nodes_of(open), right);
    const auto pushed = *pushed_fib<seven, two_levels>::build(table);
    shown_nodes half = right;
    for (auto& [at, node] : half)
        node.second /= 2;
    EXPECT_EQ(nodes_of(pushed), half);
    // Below 1000: one slot of P8, one of P7 and six of P6.
    const auto packed = *pushed_fib<seven, two_levels, packed_trie<seven, strides_by_slot>>::build(table);
    half[1000 + 0b1000000] = {"packed node", 8 + 3 * 4};
    EXPECT_EQ(nodes_of(packed), half);
}

// The bits between the root and an isolated route form a path, which is divided when it is longer than 31
// bits. An address that leaves the path gets the route above it.
TEST(multibit_variable, skips_bits_on_which_nothing_branches) {
    using a = ipv6_address;
    const auto host = prefix<a>::make({leading<a>(0x20010db8'00000001, 64).base.value | 5}, 128);
    const routes<a> table({{leading<a>(0x2001, 16), {1}}, {host, {3}}, {leading<a>(0x3fff, 16), {2}}});
    const auto fib = *multibit_variable::packed<a>::build(table);
    std::size_t paths = 0, bytes = 0;
    fib.visit([&](const structure_node<a>& n) {
        paths += n.kind == "path" ? 1 : 0;
        bytes += n.bytes;
    });
    EXPECT_GE(paths, 3U); // of 112 bits
    EXPECT_LE(bytes, 200U);
    EXPECT_EQ(fib.lookup(host.base).id, 3U);
    for (unsigned bit = 0; bit < 112; ++bit) {
        const a other{host.base.value ^ static_cast<a::value_type>(1) << bit};
        EXPECT_EQ(fib.lookup(other).id, 1U) << bit;
        std::size_t steps = 0;
        EXPECT_EQ(fib.trace(other, [&](const trace_step&) { ++steps; }).id, 1U) << bit;
        EXPECT_LE(steps, 11U);
    }
    EXPECT_EQ(fib.lookup(leading<a>(0x3fff, 16).last()).id, 2U);
    EXPECT_EQ(fib.lookup(a{0}), next_hop::none);
}

// Returns the number of slots of all nodes, each rounded up to an even number, plus a price per route for
// each node on its path.
template <class A, class F>
std::uint64_t cost_of(const F& fib, std::span<const route<A>> routes, std::size_t slot_bytes) {
    std::uint64_t cost = 0;
    fib.visit([&](const structure_node<A>& node) {
        cost += node.kind == "path" ? 2 : (node.bytes / slot_bytes + 1) / 2 * 2;
        if (node.kind == "path")
            return;
        const unsigned length = common_length(node.first, node.last);
        const auto begin = std::ranges::lower_bound(routes, node.first, {},
                                                    [](const route<A>& r) { return r.where.first(); });
        for (auto r = begin; r != routes.end() && r->where.first() <= node.last; ++r)
            cost += r->where.length > length ? 8 : 0;
    });
    return cost;
}

// The cost of the built structure equals the one that the dynamic program computed, except for paths longer
// than 31 bits, which the program does not divide.
template <class A>
void expect_packed_by_formula(const routes<A>& table) {
    stride_choice choice{.widest = 16, .widest_root = 20, .access_price = 8, .skip_price = 2};
    const auto kept = multibit::without_redundant(table.sorted());
    const multibit::split_routes<A> lean{std::span(kept)}, all{table.sorted()};
    choice.packed = {.cost = multibit_variable::packed_slots<4>, .everywhere = lean.everywhere};
    const auto pushed = *multibit_variable::packed<A>::build(table);
    const std::uint64_t pushed_cost = variable_plan::of<A>(lean.others, choice).cost();
    choice.packed = {.cost = multibit_variable::packed_slots<8>, .pushed = false};
    const auto open = *multibit_variable::packed_open<A>::build(table);
    const std::uint64_t open_cost = variable_plan::of<A>(all.others, choice).cost();
    const std::uint64_t cut = A::bits > 32 ? 120 : 0; // tolerance in 1/1000, for added nodes
    EXPECT_GE(cost_of<A>(pushed, lean.others, 4), pushed_cost);
    EXPECT_LE(cost_of<A>(pushed, lean.others, 4), pushed_cost + pushed_cost * cut / 1000);
    EXPECT_GE(cost_of<A>(open, all.others, 8), open_cost);
    EXPECT_LE(cost_of<A>(open, all.others, 8), open_cost + open_cost * cut / 1000);
}

// The computed cost minus the price of accesses is the number of slots. A visit counts both: the slots of all
// nodes, and for each route the nodes that contain it.
template <class A>
void expect_memory_by_formula(std::size_t size) {
    random_numbers random(3);
    const routes<A> table(clustered_table<A>(random, size, 0xffffff));
    const auto sorted = table.sorted();
    const auto others = sorted.subspan(sorted.front().where.length == 0 ? 1 : 0);
    const auto plan = variable_plan::of<A>(others, {.widest = 16, .widest_root = 20, .access_price = 8});
    const auto open = multibit_variable::fib<A>::build(table);
    std::uint64_t slots = 0;
    open->visit([&](const structure_node<A>& node) { slots += node.bytes / 8; });
    EXPECT_EQ(cost_of<A>(*open, others, 8), plan.cost());
    const auto pushed = multibit_variable::pushed<A>::build(table);
    EXPECT_GE(pushed->memory_bytes(), slots * 4 - slots * 4 / 100);
    EXPECT_LE(pushed->memory_bytes(), slots * 4 + slots * 4 / 100 + 1000);
    // Packed nodes and paths take less memory than the slots that they replace.
    const auto packed = multibit_variable::packed<A>::build(table);
    std::uint64_t bytes = 0;
    packed->visit([&](const structure_node<A>& node) { bytes += node.bytes; });
    EXPECT_LT(bytes, slots * 4);
    expect_packed_by_formula(table);
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
    EXPECT_EQ(multibit_variable::packed_open<ipv6_address>::build(table, {}, 1000).error(), errc::capacity);
}

// A route far below all others adds nodes of four bits, which disappear with it.
TEST(multibit_variable, begins_and_ends_nodes_for_a_long_route) {
    std::vector<route<ipv6_address>> many;
    for (std::uint32_t i = 0; i < 8192; ++i)
        many.push_back({leading<ipv6_address>(0x20010000U + i, 32), {1 + i % 2}});
    const routes<ipv6_address> table(many);
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
    ASSERT_EQ(
        fib.apply({.where = host, .before = {3}, .cover = {1}, .cover_length = 32, .affected_ranges = {}}),
        errc::ok);
    EXPECT_EQ(count(), before);
}

} // namespace
} // namespace fingerpost::testing::of_multibit_variable
