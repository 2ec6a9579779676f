// The nodes of a Neurotrie bit by bit, with strides of every size, their memory, and changes within the
// budget.
#include "fingerpost/schemes/neurotrie/neurotrie.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "fingerpost/rib/rib.hpp"
#include "tests/support/tables/tables.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_neurotrie {
namespace {

using namespace neurotrie;

TEST(NeurotrieSizes, HoldWhatIsAskedForAndWasteA32nd) {
    using sizes = near_sizes<std::uint16_t, 131072>;
    std::uint32_t before = 0;
    for (std::uint32_t n = 1; n <= 131072; ++n) {
        const std::uint32_t number = sizes::number_of(n), got = sizes::elements_of(number);
        ASSERT_GE(got, n);
        ASSERT_LE(got, n + n / 32 + 1);
        ASSERT_GE(number, before);
        ASSERT_EQ(sizes::number_of(got), number);
        const std::uint32_t piece = sizes::first_piece(got);
        ASSERT_EQ(piece, got) << "a size is one piece";
        before = number;
    }
    EXPECT_EQ(before + 1, sizes::count);
    for (std::uint32_t rest = 2; rest <= 131072; rest += 2) {
        const std::uint32_t piece = sizes::first_piece(rest);
        ASSERT_LE(piece, rest);
        ASSERT_EQ(sizes::elements_of(sizes::number_of(piece)), piece);
    }
}

// A trie whose nodes all have one stride, or the remaining height where that is less.
template <class A>
struct forced {
    trie<A> made{2};

    forced(const table<A>& sorted, unsigned stride) {
        const auto intervals = elementary_intervals<A>(sorted);
        std::vector<std::uint32_t> codes;
        for (const next_hop hop : intervals.hops)
            codes.push_back(hop == next_hop::none ? 0 : hop.id + 1);
        vertex_list all(2);
        const side top = vertex_reader<A>(intervals.ends, codes, sorted).read(all, A::first(), 0);
        plan chosen;
        for (std::size_t i = 0; i < all.size(); ++i)
            chosen.strides.push_back(static_cast<std::uint8_t>(std::min<unsigned>(stride, all[i].strides)));
        made.fill(all, top, chosen, chooser::exact);
    }
    next_hop lookup(A a, simd::isa isa) const {
        const auto find = kernels_of(isa).single[A::bits > 64 ? 1 : 0][0];
        return {find(made.arrays().view(), top64(a), bottom64(a))};
    }
};

template <class A>
void expect_right_for_every_stride() {
    random_numbers random(A::bits);
    for (unsigned stride = 1; stride <= neurotrie::widest_stride; ++stride) {
        rib<A> truth;
        // Lengths at and near the boundaries of strides and words.
        table<A> routes;
        for (unsigned length :
             {0u, stride - 1, stride, stride + 1, 2 * stride, 63u, 64u, 65u, 126u, 127u, 128u})
            for (unsigned i = 0; i < 12 && length <= A::bits; ++i)
                routes.push_back({prefix<A>::make(random.address<A>(), length),
                                  {static_cast<std::uint32_t>(random.below(40))}});
        const auto near = clustered_table<A>(random, 400, 40);
        routes.insert(routes.end(), near.begin(), near.end());
        routes = sorted(std::move(routes));
        ASSERT_TRUE(truth.assign(routes));
        forced<A> one(routes, stride);
        const std::vector<A> probes = oracle::probes<A>(std::span<const route<A>>(routes));
        ASSERT_GT(probes.size(), 1000u);
        for (const simd::isa isa : simd::available_isas())
            for (const A a : probes)
                ASSERT_EQ(one.lookup(a, isa), truth.lookup(a)) << text_of(a) << ", strides of " << stride;
        // A node that is taken apart and put together again is unchanged.
        node_arrays copied = one.made.arrays().copied();
        const header root = copied.root();
        const pieces apart = copied.taken_apart(root);
        const std::uint64_t bytes = copied.planned_bytes();
        const content again = copied.replace(root, apart);
        ASSERT_TRUE(again.is_node);
        EXPECT_EQ(copied.planned_bytes(), bytes);
        EXPECT_EQ(copied.taken_apart(again.below).size(), apart.size());
    }
}
TEST(Neurotrie, AnswersRightlyWithStridesOfEverySize) {
    expect_right_for_every_stride<ipv4_address>();
    expect_right_for_every_stride<ipv6_address>();
}

// A run continues across slots with children and across blocks: 0/1 occupies slots 0 to 127 of a root of 8
// bits, slot 3 has a child, and blocks 0 and 1 share the run's leaf.
TEST(Neurotrie, CountsRunsAcrossChildrenAndBlocks) {
    using A = address<12>;
    const table<A> routes = sorted<A>({{leading<A>(0, 1), {1}}, {leading<A>(3 * 16 + 5, 12), {2}}});
    const forced<A> one(routes, 8);
    const node_arrays& arrays = one.made.arrays();
    const header root = arrays.root();
    ASSERT_EQ(root.stride, 8);
    const std::array<std::uint64_t, 4> child{1u << 3, 0, 0, 0}, run{1, 0, 1, 0};
    for (unsigned i = 0; i < 4; ++i) {
        const block& in = arrays.block_at(root.blocks + i);
        EXPECT_EQ(in.child, child[i]);
        EXPECT_EQ(in.run, run[i]);
        EXPECT_EQ(in.children_before, i > 0 ? 1u : 0u);
        EXPECT_EQ(in.runs_before, i == 0 ? 0u : i < 3 ? 1u : 2u);
    }
    EXPECT_EQ(arrays.planned_bytes(), 16 + (4 * 24 + 16 + 2 * 2) + (24 + 3 * 2));
}

template <class F, class A>
std::set<std::string> kinds_of(const F& in) {
    std::set<std::string> kinds;
    in.visit([&](const structure_node<A>& n) {
        if (n.part == "headers")
            kinds.insert(std::string(n.kind));
    });
    return kinds;
}

TEST(Neurotrie, SaysHowItsStridesWereChosen) {
    using A = ipv6_address;
    random_numbers random(5);
    const routes<A> table(clustered_table<A>(random, 5000, 1000));
    const auto ample = fib<A>::build(table, {}, 1000);
    const auto learned = fib<A, chooser::learned>::build(table, {}, 1000);
    const auto shallow = fib<A, chooser::shallow>::build(table, {}, 1000);
    const auto short_of = fib<A, chooser::learned>::build(table, {}, 1);
    ASSERT_TRUE(ample && learned && shallow && short_of);
    EXPECT_EQ((kinds_of<fib<A>, A>(*ample)), std::set<std::string>{"node"});
    EXPECT_EQ((kinds_of<fib<A, chooser::learned>, A>(*learned)), std::set<std::string>{"learned node"});
    EXPECT_EQ((kinds_of<fib<A, chooser::shallow>, A>(*shallow)), std::set<std::string>{"shallow node"});
    EXPECT_EQ((kinds_of<fib<A, chooser::learned>, A>(*short_of)), std::set<std::string>{"node above budget"});
}

TEST(Neurotrie, TakesTheMemoryOfTheFormula) {
    using A = ipv6_address;
    random_numbers random(17);
    const routes<A> table(clustered_table<A>(random, 20000, 1000));
    for (const double budget : {200.0, 400.0}) {
        const auto in = fib<A>::build(table, {}, budget);
        ASSERT_TRUE(in);
        std::uint64_t headers = 0, blocks = 0, leaves = 0;
        in->visit([&](const structure_node<A>& n) {
            (n.part == "headers" ? headers : n.part == "blocks" ? blocks : leaves) += n.bytes;
        });
        EXPECT_EQ(headers + blocks + leaves, in->planned_bytes());
        EXPECT_LE(in->planned_bytes(), in->budget());
        EXPECT_GE(in->memory_bytes(), in->planned_bytes());
        EXPECT_LE(in->memory_bytes(), in->planned_bytes() + in->planned_bytes() / 32 + sizeof *in);
    }
}

// Changes, most of which add routes: each stays within the budget until one requests a rebuild.
template <class A, chooser By>
void expect_kept_budget(double bytes_per_route) {
    random_numbers random(29);
    rib<A> truth;
    clustered_prefixes<A> prefixes(random);
    for (unsigned i = 0; i < 3000; ++i)
        ASSERT_TRUE(truth.insert(prefixes.next(), {static_cast<std::uint32_t>(random.below(500))}));
    auto in = fib<A, By>::build(truth.to_routes(), {}, bytes_per_route);
    ASSERT_TRUE(in);
    std::size_t rebuilds = 0, patched = 0;
    for (unsigned i = 0; i < 4000; ++i) {
        const prefix<A> where = prefixes.next();
        const next_hop hop{static_cast<std::uint32_t>(random.below(500))};
        const auto told = random.below(5) == 0 && truth.get(where) != next_hop::none
                              ? truth.withdraw(where)
                              : truth.announce(where, hop);
        ASSERT_TRUE(told);
        const errc done = in->apply(*told);
        if (done == errc::ok) {
            ++patched;
        } else {
            ASSERT_EQ(done, errc::capacity);
            in = fib<A, By>::build(truth.to_routes(), {}, bytes_per_route);
            ASSERT_TRUE(in);
            ++rebuilds;
        }
        ASSERT_NE(in->made_by(), choice::least);
        ASSERT_LE(in->planned_bytes(), in->budget());
    }
    EXPECT_GT(rebuilds, 0u) << "the budget was never used up";
    EXPECT_GT(patched, 10 * rebuilds);
}
TEST(Neurotrie, KeepsItsBudgetThroughChanges) {
    expect_kept_budget<ipv4_address, chooser::exact>(60);
    expect_kept_budget<ipv4_address, chooser::learned>(60);
    expect_kept_budget<ipv6_address, chooser::exact>(400);
}

// Many routes below one slot: the stride of its node, chosen for a few routes, changes.
TEST(Neurotrie, ChoosesAnewWhereANodeOutgrowsItsPlan) {
    using A = ipv4_address;
    random_numbers random(3);
    table<A> routes = clustered_table<A>(random, 20000, 7);
    std::erase_if(routes, [](const route<A>& r) { return r.where.base.value >= 0xfff00000u; });
    rib<A> truth;
    ASSERT_TRUE(truth.assign(routes));
    // below the minimum of any trie, so that memory has a high weight
    auto in = fib<A>::build(truth.to_routes(), {}, 1);
    ASSERT_TRUE(in);
    const A at{0xfff00000u + 37 * 16};
    std::set<unsigned> borders; // offset of the last node on the path
    for (std::uint32_t i = 0; i < 150; ++i) {
        const A base{0xfff00000u + (1 + i) * 37 % 256 * 16};
        const auto told = truth.announce(prefix<A>::make(base, 32), {10 + i % 50});
        ASSERT_TRUE(told);
        ASSERT_EQ(in->apply(*told), errc::ok) << i;
        unsigned border = 0;
        in->trace(at, [&](const trace_step& step) {
            if (step.part == "headers")
                border = step.first_bit;
        });
        borders.insert(border);
    }
    EXPECT_GT(borders.size(), 1u);
}

} // namespace
} // namespace fingerpost::testing::of_neurotrie
