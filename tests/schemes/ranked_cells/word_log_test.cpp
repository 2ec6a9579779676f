// The list of changed words finds words by number, for any numbers.
#include <gtest/gtest.h>

#include <vector>

#include "fingerpost/schemes/ranked_cells/word_versions.hpp"

namespace fingerpost::testing::of_ranked_cells {
namespace {

using namespace ranked_cells;

TEST(word_log, finds_numbers_that_collided_before) {
    const auto old_slot = [](std::uint32_t number) { return (number * 0x9e3779b9u >> 8) & 0xffff; };
    word_log changes;
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t number = 0; number < 1u << word_index_bits; ++number)
        if (old_slot(number) < 64)
            numbers.push_back(number);
    ASSERT_GT(numbers.size(), 300u);
    for (unsigned round = 0; round < 3; ++round) {
        for (const std::uint32_t number : numbers)
            changes.add({number, {}, bitmap_word::make(number, 1)});
        EXPECT_LT(changes.index().longest_search(), 150u);
        for (const std::uint32_t number : numbers) {
            ASSERT_NE(changes.find(number), nullptr);
            ASSERT_EQ(changes.find(number)->after.ends(), number);
        }
        EXPECT_EQ(changes.find(numbers.back() + 1), nullptr);
        changes.clear();
        EXPECT_EQ(changes.find(numbers[0]), nullptr);
    }
}
// Regression test: after the index had grown, clearing left slots of some words, which were found again in
// the next publication.
TEST(word_log, forgets_all_words_after_it_has_grown) {
    for (unsigned round = 0; round < 20; ++round) {
        word_log changes;
        for (const std::uint32_t count : {2'000U, 40U, 3'000U}) {
            for (std::uint32_t number = 0; number < count; ++number)
                changes.add({number * 7, {}, bitmap_word::make(number, 1)});
            changes.clear();
            ASSERT_EQ(changes.index().longest_search(), 1u) << count << " words, round " << round;
        }
    }
}

} // namespace
} // namespace fingerpost::testing::of_ranked_cells
