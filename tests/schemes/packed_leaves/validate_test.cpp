// Arrays that are not as they were saved are refused.
#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <vector>

#include "fingerpost/schemes/packed_leaves/image/validate.hpp"
#include "fingerpost/schemes/packed_leaves/packed_leaves.hpp"
#include "tests/support/images.hpp"

namespace fingerpost::testing::of_packed_leaves {
namespace {

using namespace packed_leaves;

TEST(DamagedArrays, OfBitmapsAreFound) {
    using A = ipv4_address;
    const auto all = mixed_routes<A>(4, 400, 300);
    const auto built = packed_leaves::fib<A>::build(routes<A>(all), {}, {.bitmaps_from = 0});
    ASSERT_TRUE(built && built->arrays().uses_bitmaps && built->arrays().long_level_count == 1);
    const auto good = built->arrays();
    EXPECT_FALSE(validate(good));
    const auto expect_fault = [&](std::function<void(fib_arrays<A>&)> change) {
        auto bad = good;
        change(bad);
        EXPECT_TRUE(validate(bad));
    };
    expect_fault([](auto& p) { p.words = p.words.first(p.words.size() - 1); });
    expect_fault([](auto& p) { p.answers = p.answers.first(p.answers.size() - p.code_bytes); });
    expect_fault([](auto& p) { p.long_level_count = 0; });
    expect_fault([](auto& p) { p.long_level_count = 2; });
    expect_fault([](auto& p) { p.long_levels[0].lines = p.long_levels[0].lines.first(64); });
    expect_fault([](auto& p) {
        p.long_levels[0].cells = p.long_levels[0].cells.first(p.long_levels[0].cells.size() - 1);
    });
    expect_fault([](auto& p) { p.long_levels[0].levels = 0; });
    expect_fault([](auto& p) { p.long_levels[0].levels += 1; });
    expect_fault([](auto& p) { p.code_bytes = 3; });
    std::vector<bitmap_word> words(good.words.begin(), good.words.end());
    words[77] = bitmap_word::make(words[77].ends(), 0xffffffffu);
    expect_fault([&](auto& p) { p.words = words; });
}

template <class A>
class DamagedArraysEachWidth : public ::testing::Test {};
using saved_widths = ::testing::Types<ipv4_address, ipv6_address>;
TYPED_TEST_SUITE(DamagedArraysEachWidth, saved_widths);

TYPED_TEST(DamagedArraysEachWidth, OfRegionsAreFound) {
    using A = TypeParam;
    const auto all = mixed_routes<A>(5, 400, 30);
    const auto built = packed_leaves::fib<A>::build(routes<A>(all), {});
    ASSERT_TRUE(built);
    const auto good = built->arrays();
    ASSERT_GT(good.regions.size(), least_regions);
    EXPECT_FALSE(validate(good));
    const auto expect_fault = [&](std::span<const std::uint32_t> regions) {
        auto bad = good;
        bad.regions = regions;
        EXPECT_TRUE(validate(bad));
    };
    expect_fault({});
    expect_fault(good.regions.first(least_regions));
    expect_fault(good.regions.first(good.regions.size() - 1)); // does not end with 0
    std::vector<std::uint32_t> regions(good.regions.begin(), good.regions.end());
    regions.back() = 1;
    expect_fault(regions);
    regions.back() = 0;
    regions[3] = next_hop_codec::escape_of(good.code_bytes);
    expect_fault(regions);
    regions[3] = next_hop::none.id;
    auto fine = good;
    fine.regions = regions;
    EXPECT_FALSE(validate(fine));
}

// Each entry of the index is changed to lead elsewhere: the fault is found, or no lookup comes there.
TYPED_TEST(DamagedArraysEachWidth, OfTheIndexAreFound) {
    using A = TypeParam;
    const auto all = mixed_routes<A>(6, 3'000, 200);
    const auto built = packed_leaves::fib<A>::build(routes<A>(all), {});
    ASSERT_TRUE(built);
    const auto good = built->arrays();
    ASSERT_FALSE(good.uses_bitmaps);
    EXPECT_FALSE(validate(good));
    random_numbers random(8);
    const auto expect_fault = [&](std::span<const std::uint64_t> of, std::size_t at, std::uint64_t entry) {
        std::vector<std::uint64_t> changed(of.begin(), of.end());
        changed[at] = entry;
        auto bad = good;
        (of.data() == good.root.data() ? bad.root : bad.pages) = changed;
        const auto found = validate(bad);
        ASSERT_TRUE(found) << at << " " << entry;
    };
    const std::size_t root = random.below(good.root.size());
    const std::uint64_t here = good.root[root];
    for (const std::uint64_t shift : {0U, 1U, 40U, 64U, 200U})
        ASSERT_NO_FATAL_FAILURE(expect_fault(good.root, root, (here & ~std::uint64_t{0xff}) | shift));
    for (const std::uint64_t far : {std::uint64_t{1} << 40, std::uint64_t{1} << 63, ~std::uint64_t{0} << 8})
        ASSERT_NO_FATAL_FAILURE(expect_fault(good.root, root, far | step_entry::pass));
    // The same table twice.
    std::size_t table = 0;
    while (step_entry::shift_of(good.root[table]) == step_entry::pass)
        ++table;
    const std::size_t other = table == 0 ? 1 : 0;
    const auto shift = static_cast<unsigned>(64 - std::countr_zero(good.root.size()));
    const std::uint64_t first = std::uint64_t{table} << shift;
    const std::size_t start = step_entry::slot(good.root[table], first);
    ASSERT_NO_FATAL_FAILURE(expect_fault(
        good.root, other,
        step_entry::make(start, step_entry::shift_of(good.root[table]), std::uint64_t{other} << shift)));
    // Last entries: no node, a node's middle, code and node.
    std::size_t last = 0;
    while (!last_entry::is_tree(good.pages[last]) || good.pages[last] % line_bytes != 0)
        ++last;
    const std::uint64_t tree = good.pages[last];
    for (const std::uint64_t entry : {tree + 4, tree | last_entry::answer(1), last_entry::tree(0xffffffc0),
                                      last_entry::answer(next_hop_codec::escape_of(good.code_bytes) + 1)})
        ASSERT_NO_FATAL_FAILURE(expect_fault(good.pages, last, entry));
}

} // namespace
} // namespace fingerpost::testing::of_packed_leaves
