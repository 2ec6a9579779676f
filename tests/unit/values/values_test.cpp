// Rows of values: their numbers, their texts, and what a view refuses.
#include "fingerpost/values/rows.hpp"

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "fingerpost/values/short_text.hpp"

namespace fingerpost {
namespace {

using cells = std::array<std::string_view, 3>;
constexpr cells names{"asn", "country", "name"};

TEST(value_rows, OfOneColumnAreNumberedInTheOrderOfFirstUse) {
    value_rows rows;
    EXPECT_EQ(rows.name(0), "next_hop");
    constexpr std::uint32_t count = 5000;
    for (int round = 0; round < 2; ++round)
        for (std::uint32_t i = 0; i < count; ++i)
            ASSERT_EQ(rows.intern(i == 7 ? "" : "hop" + std::to_string(i)), next_hop{i});
    ASSERT_EQ(rows.size(), count);
    EXPECT_EQ(rows[next_hop{0}], "hop0");
    EXPECT_EQ(rows[next_hop{7}], "");
    EXPECT_EQ(rows[next_hop{count - 1}], "hop" + std::to_string(count - 1));
}

TEST(value_rows, AreStoredOnceAndSoAreTexts) {
    value_rows rows(names);
    EXPECT_EQ(rows.size(), 0U);
    EXPECT_EQ(rows.columns(), 3U);
    EXPECT_EQ(rows.intern(cells{"64500", "CH", "one"}), next_hop{0});
    EXPECT_EQ(rows.intern(cells{"64501", "CH", "two"}), next_hop{1});
    EXPECT_EQ(rows.intern(cells{"64500", "CH", "one"}), next_hop{0});
    EXPECT_EQ(rows.intern(cells{"", "", ""}), next_hop{2});
    EXPECT_EQ(rows.intern(cells{"CH", "64500", "name"}), next_hop{3}) << "the order of cells counts";
    EXPECT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows.texts().size(), 9U) << "three names, two numbers, CH, one, two, and the empty one";
    EXPECT_EQ(rows.name(2), "name");
    EXPECT_EQ(rows.cell({1}, 0), "64501");
    EXPECT_EQ(rows.cell({2}, 2), "");
    EXPECT_EQ(rows.cell({3}, 1), "64500");
}

// Rows added together get the same numbers as rows added one by one, even while the indexes grow.
TEST(value_rows, OfManyAtATimeHaveTheNumbersOfSingleOnes) {
    value_rows single(names);
    value_rows together(names);
    std::uint32_t compared = 0;
    for (std::uint32_t round = 0; round < 200; ++round) {
        std::vector<std::string> texts;
        for (std::uint32_t row = 0; row < round; ++row) {
            texts.push_back(std::to_string(row * round % 577));
            texts.push_back(row % 3 == 0 ? "" : "CH");
            texts.push_back("a text of more than seven bytes " + std::to_string(row / 2));
        }
        const std::vector<std::string_view> all(texts.begin(), texts.end());
        std::vector<next_hop> numbers(round);
        together.intern(all, numbers);
        for (std::uint32_t row = 0; row < round; ++row) {
            ASSERT_EQ(numbers[row], single.intern(std::span(all).subspan(3 * row, 3))) << round << " " << row;
            ++compared;
        }
    }
    EXPECT_EQ(compared, 19900U);
    ASSERT_EQ(together.size(), single.size());
    ASSERT_EQ(together.texts().size(), single.texts().size());
    for (std::uint32_t row = 0; row < single.size(); ++row)
        for (std::size_t column = 0; column < 3; ++column)
            ASSERT_EQ(together.cell({row}, column), single.cell({row}, column));
    EXPECT_EQ(together.intern(cells{"0", "", "a text of more than seven bytes 0"}), next_hop{0});
}

TEST(equal_texts, compares_each_byte_of_texts_of_each_size) {
    for (std::size_t size = 0; size < 40; ++size) {
        const std::string text = std::string("0123456789abcdefghijklmnopqrstuvwxyzABCDE").substr(0, size);
        // Reads from memory whose neighbouring bytes differ.
        const std::string copy = "x" + text + "y";
        EXPECT_TRUE(equal_texts(text, std::string_view(copy).substr(1, size))) << size;
        EXPECT_FALSE(equal_texts(text, text + "0")) << size;
        for (std::size_t i = 0; i < size; ++i) {
            std::string other = text;
            other[i] = '~';
            EXPECT_FALSE(equal_texts(text, other)) << size << " " << i;
        }
    }
}

TEST(value_view, ShowsTheRowsWhereTheyLie) {
    value_rows rows(names);
    for (int i = 0; i < 1000; ++i)
        (void)rows.intern(cells{std::to_string(i), i % 2 == 0 ? "CH" : "IT", ""});
    const value_view view = rows.view();
    ASSERT_EQ(view.rows(), rows.size());
    ASSERT_EQ(view.columns(), 3U);
    EXPECT_EQ(view.name(1), "country");
    for (std::uint32_t i = 0; i < 1000; ++i) {
        ASSERT_EQ(view.cell({i}, 0), std::to_string(i));
        ASSERT_EQ(view.cell({i}, 1), i % 2 == 0 ? "CH" : "IT");
    }
    EXPECT_EQ(value_view().rows(), 0U);
}

TEST(value_view, RefusesWhatLeadsOutsideOfItsTexts) {
    const std::array<std::uint64_t, 2> ends{2, 5};
    const std::array<char, 5> bytes{'a', 'b', 'c', 'd', 'e'};
    const std::array<std::uint32_t, 4> good{0, 1, 1, 1};
    value_view view;
    EXPECT_EQ(value_view::make(good, ends, bytes, 2, view), nullptr);
    constexpr std::array types{column_type::integer, column_type::text, static_cast<column_type>(4)};
    const auto refuses_types = [&](std::size_t first, std::size_t count) {
        const value_types wanted{std::span(types).subspan(first, count)};
        return value_view::make(good, ends, bytes, 2, view, wanted) != nullptr;
    };
    EXPECT_FALSE(refuses_types(0, 0));
    EXPECT_FALSE(refuses_types(0, 2));
    EXPECT_TRUE(refuses_types(0, 3));
    EXPECT_TRUE(refuses_types(0, 1));
    EXPECT_TRUE(refuses_types(1, 2)) << "an unknown type";
    EXPECT_EQ(view.rows(), 1U);
    EXPECT_EQ(view.cell({0}, 0), "cde");
    const auto refused = [&](auto wanted, auto stops, std::size_t columns) {
        return value_view::make(wanted, stops, bytes, columns, view) != nullptr;
    };
    EXPECT_TRUE(refused(good, ends, 0));
    EXPECT_TRUE(refused(good, ends, 3));
    EXPECT_TRUE(refused(good, ends, 5));
    EXPECT_TRUE(refused(std::array<std::uint32_t, 4>{0, 1, 2, 1}, ends, 2));
    EXPECT_TRUE(refused(good, std::array<std::uint64_t, 2>{2, 6}, 2));
    EXPECT_TRUE(refused(good, std::array<std::uint64_t, 2>{5, 2}, 2));
    EXPECT_EQ(view.cell({0}, 0), "cde") << "what is refused changes nothing";
}

TEST(shared_bytes, KeepWhatWasShared) {
    shared_bytes bytes;
    EXPECT_EQ(bytes.view(), "");
    EXPECT_NE(bytes.view().data(), nullptr);
    EXPECT_EQ(bytes.share(), nullptr);
    std::string expected;
    std::vector<std::pair<std::shared_ptr<const char[]>, std::size_t>> shared;
    for (int round = 0; round < 500; ++round) {
        bytes.append(round % 3 == 0 ? bytes.view().substr(0, bytes.size() / 2) : std::to_string(round));
        expected += round % 3 == 0 ? expected.substr(0, expected.size() / 2) : std::to_string(round);
        if (expected.size() > 10'000) {
            bytes.shrink(9);
            expected.resize(9);
            shared.clear();
        }
        ASSERT_EQ(bytes.view(), expected);
        shared.emplace_back(bytes.share(), bytes.size());
        for (const auto& [memory, size] : shared)
            ASSERT_EQ(std::string_view(memory.get(), size), expected.substr(0, size));
    }
    const shared_bytes copy = bytes;
    bytes.append("more");
    EXPECT_EQ(copy.view(), expected);
    const shared_bytes moved = std::move(bytes);
    EXPECT_EQ(moved.view(), expected + "more");
}

} // namespace
} // namespace fingerpost
