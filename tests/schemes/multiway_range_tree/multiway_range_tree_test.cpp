// Checks the invariants of a multiway range tree, for its ends, edges and nodes, in the tree itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <vector>

#include "fingerpost/rib/rib.hpp"
#include "fingerpost/schemes/multiway_range_tree/multiway_range_tree.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/limits.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_multiway_range_tree {
namespace {

using multiway_range_tree::cell;
using multiway_range_tree::cells_of;
using multiway_range_tree::code_mask;
using multiway_range_tree::length_of;
using multiway_range_tree::node;
using multiway_range_tree::range_tree;
using multiway_range_tree::word_of;

// A tree without a FIB, in one of its widths, and the routes in it. The code of a next hop is its id + 1.
template <class W>
class watched {
    using value = typename W::value_type;
    using place = node<W>;

  public:
    watched() {
        const std::vector<cell<W>> all{{W::last(), 0, 0}};
        EXPECT_EQ(tree_.build(all), errc::ok);
    }

    void announce(const prefix<W>& p, next_hop hop) {
        const auto told = truth_.announce(p, hop);
        ASSERT_TRUE(told);
        ASSERT_EQ(tree_.insert(p, hop.id + 1, told->before == next_hop::none), errc::ok);
        tree_.publish();
    }
    void withdraw(const prefix<W>& p) {
        const auto told = truth_.withdraw(p);
        ASSERT_TRUE(told);
        const bool has_cover = told->cover != next_hop::none;
        tree_.erase(p, has_cover ? word_of(told->cover_length, told->cover.id + 1) : 0);
        tree_.publish();
    }
    void compact() { tree_.compact(); }

    // Checks the tree: each end counts the routes that have it, and only the last end of a leaf may have
    // none. Each stored route exists and contains the span of its edge, but not the span of the node. The
    // longest route of each cell is on its path; a route hidden by longer ones may be missing.
    void expect_true_tree() const {
        std::map<W, std::uint32_t> counts{{W::last(), 0}};
        std::map<prefix<W>, std::uint32_t> codes;
        for (const route<W>& r : truth_) {
            codes[r.where] = r.hop.id + 1;
            if (r.where.first() != W::first())
                ++counts[W{static_cast<value>(r.where.first().value - 1)}];
            if (r.where.last() != W::last())
                ++counts[r.where.last()];
        }
        const auto view = tree_.view();
        if (view.word != 0) {
            ASSERT_EQ(code_in(codes, prefix<W>::make(W{}, 0)), view.word & code_mask);
        }
        std::set<W> seen;
        std::size_t nodes = 0, ends = 0;
        expect_true_node(view.root, 1, W::first(), W::last(), {counts, codes}, seen, nodes, ends);
        EXPECT_EQ(seen.size(), counts.size());
        EXPECT_EQ(nodes, tree_.nodes());
        EXPECT_EQ(ends, tree_.ends());
        for (const cell<W>& c : tree_.cells()) {
            const next_hop found = truth_.lookup(c.end);
            ASSERT_EQ(c.word & code_mask, found == next_hop::none ? 0 : found.id + 1) << text_of(c.end);
        }
    }
    unsigned height() const { return tree_.view().height; }
    const rib<W>& truth() const { return truth_; }
    const range_tree<W>& tree() const { return tree_; }

  private:
    struct known {
        const std::map<W, std::uint32_t>& counts;
        const std::map<prefix<W>, std::uint32_t>& codes;
    };
    static std::uint32_t code_in(const std::map<prefix<W>, std::uint32_t>& codes, const prefix<W>& p) {
        const auto at = codes.find(p);
        return at == codes.end() ? 0 : at->second;
    }

    void expect_true_node(std::uint32_t at, unsigned level, W first, W last, const known& all,
                          std::set<W>& seen, std::size_t& nodes, std::size_t& ends) const {
        const auto view = tree_.view();
        const place& here = view.nodes[at];
        const unsigned count = tree_.edges_of(here);
        ++nodes;
        ASSERT_GT(count, 0U);
        ASSERT_EQ(tree_.key_at(here, count - 1), last) << "a span is not that of its edge";
        W from = first;
        for (unsigned i = 0; i < count; ++i) {
            const W end = tree_.key_at(here, i);
            ASSERT_FALSE(end < from);
            if (here.word[i] != 0) {
                const auto p = prefix<W>::make(end, length_of(here.word[i]));
                ASSERT_EQ(code_in(all.codes, p), here.word[i] & code_mask) << "no such route";
                ASSERT_TRUE(p.contains(from) && p.contains(end)) << "it does not hold its edge";
                ASSERT_FALSE(p.contains(first) && p.contains(last)) << "it belongs to the edge above";
            }
            if (level < view.height) {
                ASSERT_NO_FATAL_FAILURE(
                    expect_true_node(here.below[i], level + 1, from, end, all, seen, nodes, ends));
            } else {
                ++ends;
                const auto counted = all.counts.find(end);
                ASSERT_EQ(here.below[i], counted == all.counts.end() ? 0 : counted->second);
                if (counted != all.counts.end())
                    seen.insert(end);
                else
                    ASSERT_EQ(i + 1, count) << "an end that no route has is not the last of its leaf";
            }
            if (i + 1 < count)
                from = W{static_cast<value>(end.value + 1)};
        }
        for (unsigned i = count; i < place::edges; ++i)
            ASSERT_EQ(here.below[i], multiway_range_tree::nil);
    }

    range_tree<W> tree_;
    rib<W> truth_;
};

// Grows and shrinks through several heights, with a check after every step.
template <class W>
void expect_true_through_changes(std::uint64_t seed) {
    random_numbers random(seed);
    clustered_prefixes<W> prefixes(random);
    watched<W> tree;
    std::vector<prefix<W>> present;
    std::set<unsigned> heights;
    for (const bool grow : {true, false, true, false})
        for (std::size_t i = 0; i < std::max<std::size_t>(750, scaled(1500)); ++i) {
            const bool in = random.below(8) != 0 ? grow : !grow;
            if (in || present.empty()) {
                const prefix<W> p = prefixes.next();
                if (tree.truth().get(p) == next_hop::none)
                    present.push_back(p);
                ASSERT_NO_FATAL_FAILURE(tree.announce(p, {static_cast<std::uint32_t>(random.below(9))}));
            } else {
                const std::size_t at = random.below(present.size());
                ASSERT_NO_FATAL_FAILURE(tree.withdraw(present[at]));
                present[at] = present.back();
                present.pop_back();
            }
            if (random.below(100) == 0)
                tree.compact();
            if (i % 16 == 0) {
                ASSERT_NO_FATAL_FAILURE(tree.expect_true_tree()) << "change " << i;
            }
            heights.insert(tree.height());
        }
    while (!present.empty()) {
        ASSERT_NO_FATAL_FAILURE(tree.withdraw(present.back()));
        present.pop_back();
    }
    ASSERT_NO_FATAL_FAILURE(tree.expect_true_tree());
    EXPECT_LE(tree.tree().nodes(), 3U) << "of an empty tree";
    EXPECT_GE(heights.size(), 3U);
}
TEST(MultiwayRangeTree, KeepsItsPromisesThroughChanges) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        ASSERT_NO_FATAL_FAILURE(expect_true_through_changes<address<32>>(seed));
        ASSERT_NO_FATAL_FAILURE(expect_true_through_changes<address<128>>(seed));
    }
}

// A FIB that follows a RIB. Splits make a route visible that longer ones had hidden completely.
TEST(MultiwayRangeTree, HiddenRoutesComeToLight) {
    using A = ipv4_address;
    rib<A> truth;
    auto built = multiway_range_tree::fib<A>::build(truth.to_routes());
    ASSERT_TRUE(built);
    const auto follow = [&](const expected<change<A>>& told) {
        ASSERT_TRUE(told);
        ASSERT_EQ(built->apply(*told), errc::ok);
    };
    follow(truth.announce(leading<A>(0x0a, 8), {1}));
    follow(truth.announce(leading<A>(0x0a0 >> 3, 9), {2}));
    follow(truth.announce(leading<A>(0x0a8 >> 3, 9), {3}));
    for (std::uint32_t i = 0; i < 4096; ++i) // every address of the /8 has a longer route
        follow(truth.announce(leading<A>(0x0a000 | i, 20), {4 + i % 5}));
    for (std::uint32_t i = 0; i < 4096; i += 2)
        follow(truth.withdraw(leading<A>(0x0a000 | i, 20)));
    expect_right<A>(*built, routes_of(truth));
    for (const auto& cover : {leading<A>(0x0a0 >> 3, 9), leading<A>(0x0a8 >> 3, 9), leading<A>(0x0a, 8)}) {
        follow(truth.withdraw(cover));
        expect_right<A>(*built, routes_of(truth));
    }
}

// A reader that started before a change continues in nodes that no change writes, until its version is
// reclaimed. A reader that starts after the change sees all of it.
template <class W>
void expect_versions_apart() {
    random_numbers random(W::bits);
    clustered_prefixes<W> prefixes(random);
    const auto& kernels = multiway_range_tree::kernels_of(simd::isa::scalar).template of<W>();
    range_tree<W> tree;
    const std::vector<cell<W>> all{{W::last(), 0, 0}};
    ASSERT_EQ(tree.build(all), errc::ok);
    ASSERT_EQ(tree.reserve_room(20'000), errc::ok);
    rib<W> truth;
    std::vector<prefix<W>> present;
    std::size_t left_behind = 0;
    for (std::uint32_t version = 1; version <= 1500; ++version) {
        const bool leaves = !present.empty() && random.below(5) < 2;
        const std::size_t which = leaves ? random.below(present.size()) : 0;
        const prefix<W> p = leaves ? present[which] : prefixes.next();
        std::vector<W> at{p.first(), p.last(), random.address<W>(), random.address<W>()};
        for (std::size_t i = 0; i < std::min<std::size_t>(present.size(), 20); ++i)
            at.push_back(present[random.below(present.size())].last());
        const auto numbers_in = [&](const multiway_range_tree::tree_view<W>& seen) {
            std::vector<std::uint32_t> found;
            for (const W a : at)
                found.push_back(kernels.single(seen, a));
            return found;
        };
        const auto before = tree.view();
        const auto answers = numbers_in(before);
        ASSERT_TRUE(tree.has_room());
        const std::size_t room = tree.room();
        tree.begin_beside_readers(version);
        if (leaves) {
            const auto told = truth.withdraw(p);
            ASSERT_TRUE(told);
            const bool has_cover = told->cover != next_hop::none;
            tree.erase(p, has_cover ? word_of(told->cover_length, told->cover.id + 1) : 0);
            present[which] = present.back();
            present.pop_back();
        } else {
            const auto told = truth.announce(p, {version % 50});
            ASSERT_TRUE(told);
            ASSERT_EQ(tree.insert(p, version % 50 + 1, told->before == next_hop::none), errc::ok);
            if (told->before == next_hop::none)
                present.push_back(p);
        }
        ASSERT_EQ(numbers_in(before), answers) << "the nodes of readers were written";
        ASSERT_EQ(numbers_in(tree.view()), answers) << "a change shows before it is published";
        tree.publish();
        ASSERT_EQ(numbers_in(before), answers);
        ASSERT_LE(room - tree.room(), tree.most_needed);
        for (const W a : at)
            ASSERT_EQ(kernels.single(tree.view(), a), truth.lookup(a).id) << text_of(a);
        left_behind += room - tree.room();
        if (random.below(20) == 0)
            tree.reclaim(version + 1);
    }
    EXPECT_GT(left_behind, 1000U);
    // After reclaiming, only the tree itself is allocated.
    tree.reclaim(~std::uint64_t{0});
    std::size_t nodes = 0;
    const auto view = tree.view();
    const auto count = [&](const auto& self, std::uint32_t number, unsigned level) -> void {
        ++nodes;
        for (unsigned i = 0; level > 1 && i < tree.edges_of(view.nodes[number]); ++i)
            self(self, view.nodes[number].below[i], level - 1);
    };
    count(count, view.root, view.height);
    EXPECT_EQ(tree.nodes(), nodes);
}
TEST(MultiwayRangeTree, ReadersGoOnInTheTreeThatTheyHaveFound) {
    expect_versions_apart<address<32>>();
    expect_versions_apart<address<128>>();
}

// When there is no room, an in-place change is refused and changes nothing.
TEST(MultiwayRangeTree, WithoutRoomAChangeBesideReadersIsRefused) {
    using A = ipv4_address;
    using tree = multiway_range_tree::fib<A>;
    rib<A> truth;
    auto fib = tree::build_in_place(truth.to_routes());
    ASSERT_TRUE(fib);
    const auto block = [](std::uint32_t number) { return prefix<A>::make(A{number << 8}, 24); };
    std::uint32_t made = 0;
    errc done = errc::ok;
    for (; done == errc::ok; ++made) {
        ASSERT_LT(made, 100'000U);
        const auto told = truth.announce(block(made), {0});
        ASSERT_TRUE(told);
        done = fib->apply_in_place(*told, 1); // readers remain
    }
    EXPECT_EQ(done, errc::capacity);
    EXPECT_LT(fib->room(), tree::needs({}));
    --made; // the refused change
    EXPECT_EQ(fib->lookup(block(made - 1).last()), next_hop{0});
    EXPECT_EQ(fib->lookup(block(made).first()), next_hop::none);
    fib->reclaim(2);
    EXPECT_EQ(fib->apply_in_place(truth.describe(block(made), next_hop::none), 2), errc::ok);
    expect_right<A>(*fib, routes_of(truth));
    // A next hop without a code would need the table that readers use.
    const auto told = truth.announce(leading<A>(0xff, 8), {0xfffffff0});
    ASSERT_TRUE(told);
    EXPECT_EQ(fib->apply_in_place(*told, 3), errc::capacity);
}

TEST(MultiwayRangeTree, RefusesMoreCodesAndNodesThanItCanNumber) {
    using A = ipv4_address;
    using tree = multiway_range_tree::fib<A>;
    table<A> some;
    for (std::uint32_t i = 0; i < 200; ++i)
        some.push_back({prefix<A>::make(A{i << 8}, 24), {i}});
    const routes<A> all(some);
    const auto none = tree::build(all, {}, 3);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error(), errc::capacity);
    // Numbers 0 to 199 have the codes 1 to 200.
    EXPECT_THROW((void)tree::build(all, {}, tree::most_nodes, 199), std::length_error);

    // A change that needs one more code or one more node.
    const auto announced = [](const prefix<A>& p, next_hop hop) {
        change<A> told;
        told.where = p;
        told.after = hop;
        return told;
    };
    auto full = tree::build(all, {}, tree::most_nodes, 200);
    ASSERT_TRUE(full);
    EXPECT_EQ(full->apply(announced(leading<A>(0xff, 8), {200})), errc::capacity);
    auto growing = tree::build(routes<A>(), {}, 1);
    ASSERT_TRUE(growing);
    errc done = errc::ok;
    for (std::uint32_t i = 0; i < 20 && done == errc::ok; ++i)
        done = growing->apply(announced(prefix<A>::make(A{i << 8}, 24), {1}));
    EXPECT_EQ(done, errc::capacity);
}

// A newly built tree uses 11 of 16 edges per node and has no spare node.
TEST(MultiwayRangeTree, TakesSoManyNodesForSoManyEnds) {
    using A = ipv4_address;
    for (const std::uint32_t count : {1u, 8u, 100u, 65536u}) {
        table<A> some;
        for (std::uint32_t i = 0; i < count; ++i)
            some.push_back({prefix<A>::make(A{(2 * i + 1) << 8}, 24), {i}});
        const auto fib = multiway_range_tree::fib<A>::build(routes<A>(some));
        ASSERT_TRUE(fib);
        std::size_t nodes = 0;
        fib->visit([&](const structure_node<A>&) { ++nodes; });
        std::size_t expected_nodes = 0;
        for (std::size_t row = 2 * count + 1; row != 0; row = row == 1 ? 0 : row <= 16 ? 1 : (row + 10) / 11)
            expected_nodes += row <= 16 ? 1 : (row + 10) / 11;
        EXPECT_GE(nodes, expected_nodes - 1);
        EXPECT_LE(nodes, expected_nodes + 1);
        EXPECT_EQ(fib->memory_parts()[0].bytes, nodes * 192);
    }
}

} // namespace
} // namespace fingerpost::testing::of_multiway_range_tree
