// Hash tables of the tiers: cells chosen to collide do not collide. The tests count probes and do not measure
// time.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "fingerpost/rib/rib.hpp"
#include "fingerpost/schemes/packed_leaves/packed_leaves.hpp"
#include "tests/support/suite.hpp"
#include "tests/support/tables/collisions.hpp"

namespace fingerpost::testing {
namespace {

using namespace cells;

// The number of slots probed to find all cells.
template <class A>
std::size_t probes_in(std::span<const cell_slot<A>> slots, unsigned bits, const hash_key& key) {
    const cell_slots<A> cells(slots, bits, key);
    std::size_t probes = 0;
    for (const cell_slot<A>& one : slots)
        if (one.tree != 0)
            probes += 1 + ((cells.slot_of(one.cell) - cells.home(one.cell)) & (slots.size() - 1));
    return probes;
}
// A FIB whose only long-prefix level has these cells, each with a route of 64 or 25 bits.
template <class Fib, class A>
expected<Fib> with_cells(const std::vector<A>& cells, const build_options& options = {}) {
    table<A> all;
    for (const A cell : cells)
        all.push_back({prefix<A>::make(cell, A::bits == 32 ? 25 : 64), {all.size() % 100 == 0 ? 1u : 2u}});
    return Fib::build(routes<A>(sorted(std::move(all))), options);
}
std::vector<ipv6_address> old_colliding_cells(std::size_t count) {
    std::vector<ipv6_address> cells;
    for (std::size_t i = 0; i < count; ++i)
        cells.push_back({static_cast<u128>(old_colliding_cell(i)) << 64});
    return cells;
}

// Half of the slots are occupied, so a random hash needs 1.5 probes per search.
TEST(cell_slots, have_homes_of_their_own_for_ipv4_cells) {
    using A = ipv4_address;
    for (const std::uint32_t step : {1u, 3u, 256u}) {
        std::vector<A> cells;
        for (std::uint32_t i = 0; i < 16'000; ++i)
            cells.push_back(A{0x0a000000u + (i * step << 8)});
        const auto built = with_cells<ranked_cells::fib<A>>(cells);
        ASSERT_TRUE(built && built->arrays().long_level_count == 1);
        const long_level_arrays<A> level = built->arrays().long_levels[0];
        EXPECT_LT(probes_in(level.cells, 24, level.key), 2 * cells.size()) << step;
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
        const auto built = with_cells<packed_leaves::fib<A>>(cells);
        ASSERT_TRUE(built && built->arrays().long_level_count == 1);
        const long_level_arrays<A> level = built->arrays().long_levels[0];
        EXPECT_LT(probes_in(level.cells, 48, level.key), 2 * count);
        EXPECT_LE(cell_slots<A>::longest_run(level.cells), cell_slots<A>::most_run(level.cells.size()));
    }
}

TEST(cell_map, takes_another_key_against_cells_that_were_chosen_for_its_own) {
    using A = ipv6_address;
    constexpr std::size_t count = 3'000;
    const hash_key key(known_seed);
    const std::vector<A> cells = cells_for(key, 48, count);
    // Without a bound on runs, the search for the last cell probes all of them.
    std::vector<cell_slot<A>> unbound(1 << 13);
    const cell_slots<A> view(unbound, 48, key);
    for (const A cell : cells)
        unbound[view.slot_of(cell)] = {cell, 64};
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

// Two FIBs of left-right, while cells that collide under the known key arrive: the key changes in one FIB,
// and the other follows.
TEST(packed_leaves, answer_right_while_the_key_of_a_long_prefix_level_changes) {
    using A = ipv6_address;
    const std::vector<A> cells = cells_for(hash_key(known_seed), 48, 600);
    rib<A> truth;
    build_options options;
    options.hash_seed = known_seed;
    auto one = packed_leaves::fib<A>::build(truth.to_routes(), options);
    auto two = packed_leaves::fib<A>::build(truth.to_routes(), options);
    ASSERT_TRUE(one && two);
    packed_leaves::fib<A>* next = &*one;
    packed_leaves::fib<A>* other = &*two;
    std::set<std::uint64_t> seeds;
    for (std::uint32_t i = 0; i < cells.size(); ++i) {
        if (next->apply(*truth.announce(prefix<A>::make(cells[i], 64), {i})) != errc::ok)
            *next = *packed_leaves::fib<A>::build(truth.to_routes(), options);
        next->begin_publish();
        seeds.insert(next->arrays().long_levels[0].key.seed());
        for (std::uint32_t k = 0; k < cells.size(); k += 1 + k % 50)
            ASSERT_EQ(next->lookup(cells[k]), k <= i ? next_hop{k} : next_hop::none) << i;
        ASSERT_EQ(other->sync_from(*next), errc::ok);
        std::swap(next, other);
    }
    EXPECT_GE(seeds.size(), 2u);
    EXPECT_TRUE(seeds.contains(known_seed));
}

TEST(validate, refuses_cells_that_are_not_found_or_not_soon) {
    using A = ipv6_address;
    using cells = std::vector<cell_slot<A>>;
    build_options options;
    options.hash_seed = known_seed;
    const hash_key key(known_seed);
    const std::vector<A> three = cells_for(key, 48, 3);
    const auto built = with_cells<packed_leaves::fib<A>>(three, options);
    ASSERT_TRUE(built);
    auto parts = built->arrays();
    const cells good(parts.long_levels[0].cells.begin(), parts.long_levels[0].cells.end());
    const auto reason = [&](const cells& changed, const hash_key& with) -> std::string {
        parts.long_levels[0].cells = changed;
        parts.long_levels[0].key = with;
        const auto found = validate(parts);
        return found ? found->reason : "";
    };
    const std::string lost = "a cell of a tier is not where its key leads";
    EXPECT_EQ(reason(good, key), "");
    EXPECT_EQ(reason(good, hash_key(known_seed + 1)), lost);

    // All three have home 0, so slots 0 to 2 are occupied.
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

    // Every cell can be found, but the search for the last one is too long.
    const std::vector<A> many = cells_for(key, 48, 200);
    for (const std::size_t count : {100u, 200u}) {
        cells row(512);
        for (std::size_t i = 0; i < count; ++i)
            row[i] = {many[i], good[0].tree};
        EXPECT_EQ(reason(row, key), count == 100 ? "" : "too many consecutive slots of a tier are in use");
    }
    cell_map<A> bound(48, key);
    for (const A cell : many)
        bound.insert(cell, good[0].tree);
    EXPECT_EQ(reason(cells(bound.slots().begin(), bound.slots().end()), bound.key()), "");
}

} // namespace
} // namespace fingerpost::testing
