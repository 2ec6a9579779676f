// Arrays that are not as they were saved are refused.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "fingerpost/schemes/packed_leaves/packed_leaves.hpp"
#include "fingerpost/schemes/packed_leaves/validate.hpp"
#include "tests/support/images.hpp"

namespace fingerpost::testing {
namespace {

using namespace packed_leaves;

TEST(DamagedArrays, OfBitmapsAreFound) {
    using A = ipv4_address;
    const auto all = mixed_routes<A>(4, 400, 300);
    const auto built = packed_leaves::fib<A>::build(routes<A>(all), {}, {.bitmaps_from = 0});
    ASSERT_TRUE(built && built->arrays().uses_bitmaps && built->arrays().tier_count == 1);
    const auto good = built->arrays();
    EXPECT_FALSE(validate(good));
    const auto expect_fault = [&](std::function<void(fib_arrays<A>&)> change) {
        auto bad = good;
        change(bad);
        EXPECT_TRUE(validate(bad));
    };
    expect_fault([](auto& p) { p.words = p.words.first(p.words.size() - 1); });
    expect_fault([](auto& p) { p.answers = p.answers.first(p.answers.size() - p.answer_bytes); });
    expect_fault([](auto& p) { p.tier_count = 0; });
    expect_fault([](auto& p) { p.tier_count = 2; });
    expect_fault([](auto& p) { p.tiers[0].lines = p.tiers[0].lines.first(64); });
    expect_fault([](auto& p) { p.tiers[0].cells = p.tiers[0].cells.first(p.tiers[0].cells.size() - 1); });
    expect_fault([](auto& p) { p.tiers[0].levels = 0; });
    expect_fault([](auto& p) { p.tiers[0].levels += 1; });
    expect_fault([](auto& p) { p.answer_bytes = 3; });
    std::vector<bitmap_word> words(good.words.begin(), good.words.end());
    words[77] = bitmap_word::make(words[77].ends(), 0xffffffffu);
    expect_fault([&](auto& p) { p.words = words; });
}

template <class A>
class DamagedArraysEachWidth : public ::testing::Test {};
using widths = ::testing::Types<ipv4_address, ipv6_address>;
TYPED_TEST_SUITE(DamagedArraysEachWidth, widths);

TYPED_TEST(DamagedArraysEachWidth, OfShortRoutesAreFound) {
    using A = TypeParam;
    const auto all = mixed_routes<A>(5, 400, 30);
    const auto built = packed_leaves::fib<A>::build(routes<A>(all), {});
    ASSERT_TRUE(built);
    const auto good = built->arrays();
    ASSERT_FALSE(good.shorts.empty());
    EXPECT_FALSE(validate(good));
    const auto expect_fault = [&](std::function<void(short_routes_view<A>&)> change) {
        auto bad = good;
        change(bad.shorts);
        EXPECT_TRUE(validate(bad));
    };
    expect_fault([](auto& s) { s.root = s.root.first(s.root.size() / 2); });
    std::vector<std::uint32_t> root(good.shorts.root.begin(), good.shorts.root.end());
    root[3] = static_cast<std::uint32_t>(good.shorts.pages.size()) | short_page_bit;
    expect_fault([&](auto& s) { s.root = root; });
    root[3] = next_hop_codec::escape_of(good.answer_bytes) - 1;
    expect_fault([&](auto& s) { s.root = root; });
    if constexpr (short_routes_view<A>::page_bits == 0)
        return;
    ASSERT_FALSE(good.shorts.pages.empty());
    expect_fault([](auto& s) { s.pages = s.pages.first(s.pages.size() - 1); });
    expect_fault([](auto& s) { s.pages = {}; });
    std::vector<std::uint32_t> pages(good.shorts.pages.begin(), good.shorts.pages.end());
    pages.back() = next_hop::none.id;
    auto fine = good;
    fine.shorts.pages = pages;
    EXPECT_FALSE(validate(fine));
    pages.back() = 0xfffffffe;
    expect_fault([&](auto& s) { s.pages = pages; });
}

} // namespace
} // namespace fingerpost::testing
