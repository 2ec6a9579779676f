// Packed trees: how they split and merge, and the list of intervals that every change edits.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "fingerpost/fib/parts/cells/trees.hpp"
#include "tests/oracle/probes.hpp"

namespace fingerpost::testing {
namespace {

using namespace cells;
using oracle::random_numbers;

TEST(interval_editor, agrees_with_an_array_under_random_changes) {
    random_numbers random(3);
    for (const std::uint32_t step : {1U, 4U}) {
        interval_editor<std::uint32_t> run;
        run.first = 100 * step;
        run.step = step;
        run.push(163 * step, 7);
        std::vector<std::uint32_t> plain(64, 7);
        for (unsigned i = 0; i < 5'000; ++i) {
            const auto low = static_cast<std::uint32_t>(random.below(64));
            const auto high = static_cast<std::uint32_t>(low + random.below(64 - low));
            const auto code = static_cast<std::uint32_t>(random.below(5));
            run.assign((100 + low) * step, (100 + high) * step, code);
            std::fill(plain.begin() + low, plain.begin() + high + 1, code);
            std::size_t intervals = 1;
            for (std::uint32_t k = 0; k < 64; ++k) {
                ASSERT_EQ(run.code_of((100 + k) * step), plain[k]);
                intervals += k > 0 && plain[k] != plain[k - 1];
            }
            ASSERT_EQ(run.size(), intervals);
            ASSERT_EQ(run.last(), 163 * step);
        }
    }
}

// Compares one tree with a map of its ends while it grows until it is full and shrinks again.
TEST(tree_store, splits_and_joins_as_it_grows_and_shrinks) {
    for (const unsigned kind : {0U, 1U, 2U, 3U, 4U, 5U}) {
        const unsigned code_bytes = 1U << (kind / 2);
        const bool is_large = kind % 2 != 0;
        random_numbers random(5);
        tree_store trees(code_bytes, 2, 0);
        const std::uint32_t last[] = {0x00ffffff};
        const std::uint32_t code[] = {1};
        const std::uint32_t tree = trees.make(last, code);
        if (is_large) { // with thousands of trees, leaves of some of them may have more room than others
            const std::uint32_t few[] = {1, 2, 3, 4, 0x00ffffff};
            const std::uint32_t codes[] = {1, 2, 3, 4, 5};
            for (unsigned i = 0; i < 2'000; ++i)
                (void)trees.make(few, codes);
            trees.shrink();
        }
        const std::size_t others = trees.used_lines() - 6;
        interval_editor<std::uint32_t> plain;
        plain.push(last[0], code[0]);
        const auto check = [&] {
            std::vector<std::uint32_t> ends;
            std::vector<std::uint32_t> codes;
            trees.read(tree, last[0], ends, codes);
            for (std::size_t i = 0; i < ends.size(); ++i)
                ASSERT_EQ(plain.code_of(ends[i]), codes[i]);
            for (const std::uint32_t end : plain.ends)
                ASSERT_TRUE(std::binary_search(ends.begin(), ends.end(), end));
        };
        const std::size_t most = trees.capacity() * 3 / 4;
        std::size_t grown = 0;
        for (unsigned round = 0; round < 3; ++round) {
            while (plain.size() < most) {
                const auto low = static_cast<std::uint32_t>(random.below(0x00fffff0));
                const auto value = static_cast<std::uint32_t>(random.below(200)) + 1;
                trees.assign({tree, 0, last[0]}, {low, low + 7}, value, 0, [](auto...) {});
                plain.assign(low, low + 7, value);
                ++grown;
            }
            ASSERT_NO_FATAL_FAILURE(check());
            while (plain.size() > 1) {
                const auto low = static_cast<std::uint32_t>(random.below(0x00ffffff));
                const std::uint32_t high = std::min(last[0], low + 0x1ffff);
                trees.assign({tree, 0, last[0]}, {low, high}, 1, 0, [](auto...) {});
                plain.assign(low, high, 1);
            }
            ASSERT_NO_FATAL_FAILURE(check());
            EXPECT_LE(trees.used_lines() - others, is_large ? 3U + 3U + 300U : 3U + 3U + 4U);
        }
        EXPECT_GE(grown, most);
    }
}

// Trees of all sizes grow and shrink in turn, until free lines lie between used ones. Packing removes them.
TEST(tree_store, pack_leaves_no_line_free_and_keeps_what_trees_hold) {
    for (const unsigned code_bytes : {1U, 2U, 4U}) {
        random_numbers random(6);
        constexpr std::uint32_t last = 0x00ffffff;
        tree_store trees(code_bytes, 2, 0);
        std::vector<std::uint32_t> all;
        for (unsigned i = 0; i < 40; ++i) {
            const std::uint32_t ends[] = {last};
            const std::uint32_t codes[] = {i};
            all.push_back(trees.make(ends, codes));
        }
        trees.shrink();
        const auto read = [&](std::size_t i) {
            std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>> held;
            trees.read(all[i], last, held.first, held.second);
            return held;
        };
        for (unsigned round = 0; round < 4; ++round) {
            for (unsigned i = 0; i < 4'000; ++i) {
                const auto low = static_cast<std::uint32_t>(random.below(last));
                const auto high =
                    static_cast<std::uint32_t>(low + random.below(std::min(last - low, 99U) + 1));
                (void)trees.assign({all[random.below(all.size())], 0, last}, {low, high},
                                   static_cast<std::uint32_t>(random.below(3)), 99,
                                   [](std::uint32_t, std::uint32_t) {});
            }
            std::vector<decltype(read(0))> before;
            for (std::size_t i = 0; i < all.size(); ++i)
                before.push_back(read(i));
            const std::size_t used = trees.used_lines();
            ASSERT_GT(trees.bytes().size(), used * line_bytes);
            const std::vector<std::uint32_t> now = trees.pack(all);
            for (std::size_t i = 0; i < all.size(); ++i) {
                all[i] = now[all[i] / line_bytes];
                ASSERT_EQ(read(i), before[i]);
            }
            EXPECT_EQ(trees.used_lines(), used);
            EXPECT_EQ(trees.bytes().size(), used * line_bytes);
            EXPECT_EQ(trees.memory_bytes(), trees.bytes().size());
        }
    }
}

// There is room for this many more intervals without another line. A tree without room splits its first leaf
// immediately.
TEST(tree_store, room_takes_changes_without_a_line_more) {
    for (const unsigned room : {0U, 32U}) {
        tree_store trees(2, 2, 0, room);
        constexpr std::uint32_t count = 1'760;
        constexpr std::uint32_t step = 1'000;
        std::vector<std::uint32_t> ends;
        std::vector<std::uint32_t> codes;
        for (std::uint32_t i = 1; i <= count; ++i) {
            ends.push_back(i * step);
            codes.push_back(i % 7);
        }
        const std::uint32_t tree = trees.make(ends, codes);
        trees.shrink();
        const std::size_t built = trees.used_lines();
        EXPECT_GE(built, room == 0 ? count / 11 : count / 11 * 9 / 8);
        for (std::uint32_t i = 0; i < count; i += 50)
            ASSERT_TRUE(trees.assign({tree, 0, ends.back()}, {i * step + 500, (i + 1) * step}, 9, 99,
                                     [](auto...) {}));
        if (room == 0)
            EXPECT_GT(trees.used_lines(), built);
        else
            EXPECT_EQ(trees.used_lines(), built);
    }
}

// A tree accepts changes until one more might not fit. From then on it refuses them and stays unchanged.
TEST(tree_store, a_full_tree_refuses_changes_and_stays) {
    constexpr std::uint32_t last = 0x00ffffff;
    tree_store trees(2, 2, 0);
    const std::uint32_t ends[] = {last};
    const std::uint32_t codes[] = {1};
    const std::uint32_t tree = trees.make(ends, codes);
    trees.shrink();
    std::uint32_t taken = 0;
    const auto add_one = [&] {
        return trees.assign({tree, 0, last}, {taken * 16, taken * 16 + 7}, 2, 99, [](auto...) {});
    };
    while (taken < 10'000 && add_one())
        ++taken;
    std::vector<std::uint32_t> held;
    std::vector<std::uint32_t> held_codes;
    trees.read(tree, last, held, held_codes);
    EXPECT_EQ(held.size(), 2 * taken);
    EXPECT_GE(held.size() + 2, trees.capacity());
    for (std::uint32_t i = 0; i < taken; ++i)
        ASSERT_EQ(trees.code_of({tree, 0, last}, i * 16 + 7), 2U);
    EXPECT_EQ(trees.code_of({tree, 0, last}, taken * 16), 1U);
}

} // namespace
} // namespace fingerpost::testing
