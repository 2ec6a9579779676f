// Hashes with keys: nobody without the key finds what collides, whoever has it does, and a table that meets
// that all the same takes another key. Searches are counted, never timed.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "fingerpost/base/keyed_hash.hpp"
#include "fingerpost/fib/packed_check.hpp"
#include "fingerpost/fib/packed_leaves.hpp"
#include "fingerpost/rib/rib.hpp"
#include "tests/support/collisions.hpp"
#include "tests/support/suite.hpp"

namespace fingerpost::testing {
namespace {

// Of every pair, one key in 64 has both in the same one of 64 places, whatever the two have in common.
template <class Number>
void expect_no_pair_collides_often(const std::vector<std::pair<Number, Number>>& pairs) {
    constexpr std::uint64_t keys = 64 * 400;
    for (const auto& [one, other] : pairs) {
        std::size_t same = 0;
        for (std::uint64_t seed = 0; seed < keys; ++seed) {
            const hash_key key(seed);
            same += hash_key::place(key.hash(one), 64) == hash_key::place(key.hash(other), 64);
        }
        EXPECT_GT(same, 300u); // 400 expected, 20 the standard deviation
        EXPECT_LT(same, 500u);
    }
}
TEST(hash_key, gives_no_pair_of_numbers_that_collides_under_many_keys) {
    using four = std::uint32_t;
    using eight = std::uint64_t;
    expect_no_pair_collides_often<four>({{0, 1}, {0, 1u << 31}, {0x0a000000, 0x0a000100}, {5, ~5u}});
    expect_no_pair_collides_often<eight>({{0, 1}, {0, eight{1} << 63}, {eight{1} << 32, 1}, {3, 3u << 30}});
    const auto cell = [](std::uint64_t top) { return static_cast<u128>(top) << 64; };
    expect_no_pair_collides_often<u128>({{0, 1}, {0, cell(eight{1} << 63)}, {cell(1 << 16), cell(2 << 16)}});
    // What collided under the hash before it.
    expect_no_pair_collides_often<u128>({{cell(old_colliding_cell(1)), cell(old_colliding_cell(2))}});
}
TEST(hash_key, gives_no_pair_of_texts_that_collides_under_many_keys) {
    using text = std::string_view;
    using namespace std::string_view_literals;
    expect_no_pair_collides_often<text>({{"", "\0"sv}, {"\0"sv, "\0\0"sv}, {"192.0.2.1", "192.0.2.2"}});
    expect_no_pair_collides_often<text>(
        {{"abcdefg", "abcdefgh"}, {"a long name of a hop", "A long name of a hop"}});
}
TEST(hash_key, is_another_each_time_and_the_same_from_its_seed) {
    std::set<std::uint64_t> drawn;
    std::set<std::uint64_t> made_up;
    for (unsigned i = 0; i < 1'000; ++i) {
        const hash_key key = hash_key::random();
        drawn.insert(key.seed());
        made_up.insert(detail::seed_without_entropy());
        ASSERT_EQ(hash_key(key.seed()).hash(i), key.hash(i));
    }
    EXPECT_EQ(drawn.size(), 1'000u);
    EXPECT_EQ(made_up.size(), 1'000u);
}

// Slots that finding each cell looks at, all together.
template <class A>
std::size_t probes_in(std::span<const cell_slot<A>> slots, unsigned bits, const hash_key& key) {
    const cell_slots<A> cells(slots, bits, key);
    std::size_t probes = 0;
    for (const cell_slot<A>& one : slots)
        if (one.tree != 0)
            probes += 1 + ((cells.place_of(one.cell) - cells.home(one.cell)) & (slots.size() - 1));
    return probes;
}
// A FIB whose only tier has these cells: a route of 64 or 25 bits in each.
template <class A>
expected<packed_leaves<A>> with_cells(const std::vector<A>& cells, const build_options& options = {}) {
    table<A> all;
    for (const A cell : cells)
        all.push_back({prefix<A>::make(cell, A::bits == 32 ? 25 : 64), {all.size() % 100 == 0 ? 1u : 2u}});
    return packed_leaves<A>::build(routes<A>(sorted(std::move(all))), options, {.ranked_from = 0});
}
std::vector<ipv6_address> old_colliding_cells(std::size_t count) {
    std::vector<ipv6_address> cells;
    for (std::size_t i = 0; i < count; ++i)
        cells.push_back({static_cast<u128>(old_colliding_cell(i)) << 64});
    return cells;
}

// Half of the slots are taken: 1.5 slots a search are expected of hashes that are as good as chance.
TEST(cell_slots, have_homes_of_their_own_for_ipv4_cells) {
    using A = ipv4_address;
    for (const std::uint32_t step : {1u, 3u, 256u}) {
        std::vector<A> cells;
        for (std::uint32_t i = 0; i < 16'000; ++i)
            cells.push_back(A{0x0a000000u + (i * step << 8)});
        const auto built = with_cells(cells);
        ASSERT_TRUE(built && built->parts().tier_count == 1);
        const packed_tier_parts<A> tier = built->parts().tiers[0];
        EXPECT_LT(probes_in(tier.cells, 24, tier.key), 2 * cells.size()) << step;
    }
}
TEST(cell_slots, take_cells_that_collided_before_as_any_others) {
    using A = ipv6_address;
    constexpr std::size_t count = 50'000;
    const std::vector<A> hostile = old_colliding_cells(count);
    for (const A cell : hostile)
        ASSERT_EQ(old_cell_home(top64(cell), 1 << 17), 0u);
    random_numbers random(3);
    std::vector<A> others;
    for (std::size_t i = 0; i < count; ++i)
        others.push_back(cell_first(random.address<A>(), 48));
    for (const auto& cells : {hostile, others}) {
        const auto built = with_cells(cells);
        ASSERT_TRUE(built && built->parts().tier_count == 1);
        const packed_tier_parts<A> tier = built->parts().tiers[0];
        EXPECT_LT(probes_in(tier.cells, 48, tier.key), 2 * count);
        EXPECT_LE(cell_slots<A>::longest_run(tier.cells), cell_slots<A>::most_run(tier.cells.size()));
    }
}

TEST(cell_map, takes_another_key_against_cells_that_were_chosen_for_its_own) {
    using A = ipv6_address;
    constexpr std::size_t count = 3'000;
    const hash_key key(known_seed);
    const std::vector<A> cells = cells_for(key, 48, count);
    // Without a bound the search for the last of them looks at all of them.
    std::vector<cell_slot<A>> unbound(1 << 13);
    const cell_slots<A> view(unbound, 48, key);
    for (const A cell : cells)
        unbound[view.place_of(cell)] = {cell, 64};
    ASSERT_GT(cell_slots<A>::longest_run(unbound), count - 1);
    ASSERT_GT(probes_in<A>(unbound, 48, key), count * count / 2);

    for (const hash_key& first : {key, hash_key::random()}) {
        cell_map<A> map(48, first);
        std::size_t keys = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint64_t before = map.key().seed();
            map.insert(cells[i], 64 * (i + 1));
            keys += before != map.key().seed();
            ASSERT_LE(cell_slots<A>::longest_run(map.slots()), cell_slots<A>::most_run(map.slots().size()));
        }
        EXPECT_EQ(keys, first.seed() == known_seed ? 1u : 0u);
        EXPECT_LT(probes_in(map.slots(), 48, map.key()), 2 * count);
        for (std::uint32_t i = 0; i < count; ++i)
            ASSERT_EQ(map.find(cells[i]), 64 * (i + 1));
        for (std::uint32_t i = 0; i < count; i += 2)
            map.erase(cells[i]);
        EXPECT_EQ(map.size(), count / 2);
        for (std::uint32_t i = 0; i < count; ++i)
            ASSERT_EQ(map.find(cells[i]), i % 2 == 0 ? 0u : 64 * (i + 1));
    }
}

// Two FIBs that take turns while cells for the known key come in: the key changes in one, the other follows.
TEST(packed_leaves, answer_right_while_the_key_of_a_tier_changes) {
    using A = ipv6_address;
    const std::vector<A> cells = cells_for(hash_key(known_seed), 48, 600);
    rib<A> truth;
    build_options options;
    options.hash_seed = known_seed;
    auto one = packed_leaves<A>::build(truth.to_routes(), options);
    auto two = packed_leaves<A>::build(truth.to_routes(), options);
    ASSERT_TRUE(one && two);
    packed_leaves<A>* next = &*one;
    packed_leaves<A>* other = &*two;
    std::set<std::uint64_t> seeds;
    for (std::uint32_t i = 0; i < cells.size(); ++i) {
        if (next->apply(*truth.announce(prefix<A>::make(cells[i], 64), {i})) != errc::ok)
            *next = *packed_leaves<A>::build(truth.to_routes(), options);
        next->reveal();
        seeds.insert(next->parts().tiers[0].key.seed());
        for (std::uint32_t k = 0; k < cells.size(); k += 1 + k % 50)
            ASSERT_EQ(next->lookup(cells[k]), k <= i ? next_hop{k} : next_hop::none) << i;
        ASSERT_EQ(other->follow(*next), errc::ok);
        std::swap(next, other);
    }
    EXPECT_GE(seeds.size(), 2u);
    EXPECT_TRUE(seeds.contains(known_seed));
}

TEST(packed_check, refuses_cells_that_are_not_found_or_not_soon) {
    using A = ipv6_address;
    using cells = std::vector<cell_slot<A>>;
    build_options options;
    options.hash_seed = known_seed;
    const hash_key key(known_seed);
    const std::vector<A> three = cells_for(key, 48, 3);
    const auto built = with_cells(three, options);
    ASSERT_TRUE(built);
    packed_parts<A> parts = built->parts();
    const cells good(parts.tiers[0].cells.begin(), parts.tiers[0].cells.end());
    const auto reason = [&](const cells& changed, const hash_key& with) -> std::string {
        parts.tiers[0].cells = changed;
        parts.tiers[0].key = with;
        const auto found = packed_check(parts);
        return found ? found->reason : "";
    };
    const std::string lost = "a cell of a tier is not found where its key leads";
    EXPECT_EQ(reason(good, key), "");
    EXPECT_EQ(reason(good, hash_key(known_seed + 1)), lost);

    // All three have the home 0, so 0 to 2 are taken.
    ASSERT_EQ(good.size(), 8u);
    ASSERT_TRUE(good[0].tree != 0 && good[1].tree != 0 && good[2].tree != 0);
    cells bad = good;
    std::swap(bad[1], bad[5]);
    EXPECT_EQ(reason(bad, key), lost) << "a gap before the second and the third";
    bad = good;
    bad[3] = bad[1];
    EXPECT_EQ(reason(bad, key), lost) << "one cell twice";
    bad = good;
    bad[2].cell.value |= 1;
    EXPECT_EQ(reason(bad, key), lost) << "no first address of a cell";

    // Each is found, but the last one not soon.
    const std::vector<A> many = cells_for(key, 48, 200);
    for (const std::size_t count : {100u, 200u}) {
        cells row(512);
        for (std::size_t i = 0; i < count; ++i)
            row[i] = {many[i], good[0].tree};
        EXPECT_EQ(reason(row, key), count == 100 ? "" : "too many slots of a tier are taken in a row");
    }
    cell_map<A> bound(48, key);
    for (const A cell : many)
        bound.insert(cell, good[0].tree);
    EXPECT_EQ(reason(cells(bound.slots().begin(), bound.slots().end()), bound.key()), "");
}

} // namespace
} // namespace fingerpost::testing
