// The structure of the fixed-stride trie: the nodes of the paper's Figure 3, memory by the formula, and
// limits.
#include "fingerpost/schemes/multibit_fixed/multibit_fixed.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fingerpost/rib/rib.hpp"
#include "tests/support/tables/figure_1.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_multibit_fixed {
namespace {

using seven = address<7>;

// The strides of the paper's Figure 3, which no optimizer would choose.
struct plan_2_3_2 {
    using type = strides_by_level<seven>;
    type of{};

    plan_2_3_2(std::span<const route<seven>>, const multibit::plan_facts&) { of.by_level = {2, 3, 2}; }
    const type& strides() const noexcept { return of; }
    unsigned of_node(std::size_t, unsigned, unsigned level, bool) const noexcept {
        return of.by_level[level];
    }
    static unsigned of_new(const type& strides, unsigned level, unsigned) noexcept {
        return strides.by_level[level];
    }
};

struct shown_node {
    prefix<seven> where;
    unsigned level;
    std::uint64_t bytes;

    friend bool operator==(const shown_node&, const shown_node&) = default;
};
template <class F>
std::vector<shown_node> nodes_of(const F& fib) {
    std::vector<shown_node> nodes;
    fib.visit([&](const structure_node<seven>& n) {
        nodes.push_back({prefix<seven>::make(n.first, common_length(n.first, n.last)), n.level, n.bytes});
    });
    return nodes;
}

TEST(multibit_fixed, has_the_nodes_of_figure_3) {
    const routes<seven> table(figure_1());
    const std::vector<shown_node> right{{{}, 0, 4},
                                        {leading<seven>(0b10, 2), 1, 8},
                                        {leading<seven>(0b10000, 5), 2, 4},
                                        {leading<seven>(0b11, 2), 1, 8}};
    for (const std::uint64_t slot : {8U, 4U}) {
        std::vector<shown_node> nodes = right;
        for (shown_node& n : nodes)
            n.bytes *= slot;
        if (slot == 8)
            EXPECT_EQ(nodes_of(*open_fib<seven, plan_2_3_2>::build(table)), nodes);
        else
            EXPECT_EQ(nodes_of(*pushed_fib<seven, plan_2_3_2>::build(table)), nodes);
    }
}

// Packing changes only the size of nodes: plain ones have 2^stride slots; packed ones have at most nine runs
// and their ends, and are never larger than plain ones.
template <class A>
void expect_packed_in_place(const multibit_fixed::pushed<A>& pushed,
                            const multibit_fixed::packed<A>& packed) {
    std::vector<structure_node<A>> plain;
    pushed.visit([&](const structure_node<A>& node) { plain.push_back(node); });
    std::size_t i = 0, small = 0;
    packed.visit([&](const structure_node<A>& node) {
        ASSERT_LT(i, plain.size());
        ASSERT_EQ(node.first, plain[i].first);
        ASSERT_EQ(node.last, plain[i].last);
        if (node.kind == "packed node") {
            ++small;
            ASSERT_LE(node.bytes, 8U + 9 * 4);
            ASSERT_LT(node.bytes, plain[i].bytes);
        } else {
            ASSERT_EQ(node.bytes, plain[i].bytes);
        }
        ++i;
    });
    EXPECT_EQ(i, plain.size());
    EXPECT_GT(small, plain.size() / 10);
}

// The page's formula: slots as computed by the dynamic program, 8 or 4 bytes each, and almost nothing else.
template <class A>
void expect_memory_by_formula(std::size_t size) {
    random_numbers random(3);
    const auto all = clustered_table<A>(random, size, 0xffffff);
    const routes<A> table(all);
    const auto counts = count_vertices<A>(table.sorted());
    const auto plan = fixed_strides(counts, {.access_price = 8});
    const auto slots = static_cast<double>(slots_of(counts, plan->strides));
    const auto open = multibit_fixed::fib<A>::build(table);
    std::uint64_t visited = 0;
    open->visit([&](const auto& node) { visited += node.bytes; });
    EXPECT_EQ(visited, slots_of(counts, plan->strides) * 8);
    const auto pushed = multibit_fixed::pushed<A>::build(table);
    // Hardly any route repeats the next hop of its cover.
    EXPECT_GE(static_cast<double>(pushed->memory_bytes()), slots * 4 * 0.99);
    EXPECT_LE(static_cast<double>(pushed->memory_bytes()), slots * 4 * 1.01 + 1000);
    expect_packed_in_place(*pushed, *multibit_fixed::packed<A>::build(table));
}
TEST(multibit_fixed, takes_the_memory_of_the_formula) {
    expect_memory_by_formula<ipv4_address>(20'000);
    expect_memory_by_formula<ipv6_address>(20'000);
}

TEST(multibit_fixed, refuses_what_does_not_fit) {
    random_numbers random(3);
    const routes<ipv4_address> table(clustered_table<ipv4_address>(random, 1000, 9));
    EXPECT_EQ(multibit_fixed::fib<ipv4_address>::build(table, {}, 1000).error(), errc::capacity);
    EXPECT_EQ(multibit_fixed::pushed<ipv4_address>::build(table, {}, 1000).error(), errc::capacity);
}

// In Figure 3, packing stores the two nodes of eight slots as runs: in one of them 100 leads to a child and
// 101 is P1's; in the other 11000 is P4's, 11001 P3's, 11010 and 11011 P4's, the rest P2's. Packing would not
// make the other nodes smaller.
TEST(multibit_fixed, packs_nodes_of_few_runs) {
    const auto fib = *pushed_fib<seven, plan_2_3_2, packed_trie<seven, strides_by_level<seven>>>::build(
        routes<seven>(figure_1()));
    std::map<unsigned, std::pair<std::string, std::uint64_t>> nodes; // by level and first address
    fib.visit([&](const structure_node<seven>& n) {
        nodes[n.level * 1000 + n.first.value] = {std::string(n.kind), n.bytes};
    });
    const std::map<unsigned, std::pair<std::string, std::uint64_t>> right{
        {0, {"node", 16}},
        {1000 + 0b1000000, {"packed node", 8 + 3 * 4}},
        {1000 + 0b1100000, {"packed node", 8 + 4 * 4}},
        {2000 + 0b1000000, {"node", 16}}};
    EXPECT_EQ(nodes, right);
}

template <class A>
rib<A> rib_of_5000() {
    random_numbers random(4);
    rib<A> all;
    for (const auto& r : clustered_table<A>(random, 5'000, 9))
        (void)all.announce(r.where, r.hop);
    return all;
}

// Routes for which the strides were not chosen take more slots than in a new FIB.
TEST(multibit_fixed, asks_to_be_built_anew_before_it_is_a_tenth_too_large) {
    random_numbers random(5);
    auto all = rib_of_5000<ipv6_address>();
    auto fib = *multibit_fixed::fib<ipv6_address>::build(all.to_routes());
    const std::size_t built = fib.memory_bytes();
    std::size_t done = 0;
    for (;; ++done) {
        const auto told = all.announce(prefix<ipv6_address>::make(random.address<ipv6_address>(), 128), {1});
        ASSERT_TRUE(told);
        if (fib.apply(*told) != errc::ok)
            break;
        ASSERT_LE(fib.memory_bytes(), built + built / 12 + 8 * 64);
    }
    EXPECT_GT(done, 0U);
    EXPECT_LT(done, 500U); // each route takes hundreds of slots
}

// Endless withdrawals, announcements and next-hop changes do not cause a rebuild.
TEST(multibit_fixed, takes_any_number_of_changes_of_a_table_that_stays_alike) {
    random_numbers random(5);
    auto all = rib_of_5000<ipv4_address>();
    const routes<ipv4_address> table = all.to_routes();
    auto fib = *multibit_fixed::fib<ipv4_address>::build(table);
    for (std::uint32_t i = 0; i < 50'000; ++i) {
        const route<ipv4_address> r = table.sorted()[random.below(table.sorted().size())];
        for (const auto& told : {all.withdraw(r.where), all.announce(r.where, {i})}) {
            ASSERT_TRUE(told);
            ASSERT_EQ(fib.apply(*told), errc::ok) << i;
        }
    }
}

TEST(multibit_fixed, asks_to_be_built_anew_when_routes_have_gone) {
    auto all = rib_of_5000<ipv4_address>();
    const routes<ipv4_address> table = all.to_routes();
    auto fib = *multibit_fixed::fib<ipv4_address>::build(table);
    std::size_t gone = 0;
    for (const auto& r : table.sorted()) {
        const auto told = all.withdraw(r.where);
        ASSERT_TRUE(told);
        if (fib.apply(*told) != errc::ok)
            break;
        ++gone;
    }
    EXPECT_GT(gone, table.sorted().size() / 100);
    EXPECT_LT(gone, table.sorted().size() / 8);
}

// Table 3 of the paper: every level has 8 bits, nodes 256 slots.
TEST(multibit_fixed, has_the_strides_that_the_user_wants) {
    random_numbers random(8);
    const routes<ipv4_address> table(clustered_table<ipv4_address>(random, 2000, 9));
    const vertex_counts counts = count_vertices(table.sorted());
    build_options options;
    const std::array<std::uint8_t, 4> octets{8, 8, 8, 8};
    options.strides = octets;
    const auto open = multibit_fixed::fib<ipv4_address>::build(table, options);
    const auto pushed = multibit_fixed::pushed<ipv4_address>::build(table, options);
    ASSERT_TRUE(open && pushed);
    std::size_t nodes = 0;
    open->visit([&](const structure_node<ipv4_address>& node) {
        EXPECT_EQ(node.bytes, 256u * 8);
        ++nodes;
    });
    EXPECT_EQ(nodes * 256, slots_of(counts, octets));
    pushed->visit([](const structure_node<ipv4_address>& node) { EXPECT_EQ(node.bytes, 256u * 4); });
}

} // namespace
} // namespace fingerpost::testing::of_multibit_fixed
