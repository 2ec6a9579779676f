// Damaged arrays are refused.
#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <vector>

#include "fingerpost/schemes/packed_leaves/packed_leaves.hpp"
#include "tests/support/images.hpp"

namespace fingerpost::testing::of_packed_leaves {
namespace {

using namespace packed_leaves;

template <class A>
class DamagedArraysEachWidth : public ::testing::Test {};
using saved_widths = ::testing::Types<ipv4_address, ipv6_address>;
TYPED_TEST_SUITE(DamagedArraysEachWidth, saved_widths);

TYPED_TEST(DamagedArraysEachWidth, OfRegionsAreFound) {
    using A = TypeParam;
    const auto all = mixed_routes<A>(5, 400, 30);
    const auto built = tree_fib<A>::build(routes<A>(all), {});
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
    expect_fault(good.regions.first(good.regions.size() - 1)); // the last region is not 0
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

// Changes index entries so that they lead elsewhere. validate() must report each of these faults.
TYPED_TEST(DamagedArraysEachWidth, OfTheIndexAreFound) {
    using A = TypeParam;
    const auto all = mixed_routes<A>(6, 3'000, 200);
    const auto built = tree_fib<A>::build(routes<A>(all), {});
    ASSERT_TRUE(built);
    const auto good = built->arrays();
    EXPECT_FALSE(validate(good));
    random_numbers random(8);
    const auto expect_fault = [&](std::span<const std::uint64_t> of, std::size_t at, std::uint64_t entry) {
        std::vector<std::uint64_t> changed(of.begin(), of.end());
        changed[at] = entry;
        auto bad = good;
        (of.data() == good.front.root.data() ? bad.front.root : bad.front.pages) = changed;
        const auto found = validate(bad);
        ASSERT_TRUE(found) << at << " " << entry;
    };
    const std::size_t root = random.below(good.front.root.size());
    const std::uint64_t here = good.front.root[root];
    for (const std::uint64_t shift : {0U, 1U, 40U, 64U, 200U})
        ASSERT_NO_FATAL_FAILURE(expect_fault(good.front.root, root, (here & ~std::uint64_t{0xff}) | shift));
    for (const std::uint64_t far : {std::uint64_t{1} << 40, std::uint64_t{1} << 63, ~std::uint64_t{0} << 8})
        ASSERT_NO_FATAL_FAILURE(expect_fault(good.front.root, root, far | step_entry::pass));
    // Two entries that lead to the same table.
    std::size_t table = 0;
    while (step_entry::shift_of(good.front.root[table]) == step_entry::pass)
        ++table;
    const std::size_t other = table == 0 ? 1 : 0;
    const auto shift = static_cast<unsigned>(64 - std::countr_zero(good.front.root.size()));
    const std::uint64_t first = std::uint64_t{table} << shift;
    const std::size_t start = step_entry::slot(good.front.root[table], first);
    ASSERT_NO_FATAL_FAILURE(expect_fault(good.front.root, other,
                                         step_entry::make(start, step_entry::shift_of(good.front.root[table]),
                                                          std::uint64_t{other} << shift)));
    // Last entries: one that does not lead to a node, the middle of a node, and both a code and a node.
    std::size_t last = 0;
    while (!last_entry::is_tree(good.front.pages[last]) || good.front.pages[last] % line_bytes != 0)
        ++last;
    const std::uint64_t tree = good.front.pages[last];
    for (const std::uint64_t entry : {tree + 4, tree | last_entry::answer(1), last_entry::tree(0xffffffc0),
                                      last_entry::answer(next_hop_codec::escape_of(good.code_bytes) + 1)})
        ASSERT_NO_FATAL_FAILURE(expect_fault(good.front.pages, last, entry));
}

} // namespace
} // namespace fingerpost::testing::of_packed_leaves
