// Column types: the type of a text, and the common type of several texts.
#include "fingerpost/values/column_type.hpp"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "fingerpost/values/rows.hpp"
#include "tests/support/cases.hpp"

namespace fingerpost::of_column_type {
namespace {

column_type narrowest(std::initializer_list<std::string_view> texts) {
    common_types all;
    for (const std::string_view text : texts)
        all &= common_types::of(text);
    return all.narrowest();
}

TEST(column_type, has_a_name) {
    for (const column_type type :
         {column_type::text, column_type::integer, column_type::number, column_type::boolean})
        EXPECT_EQ(column_type_named(name_of(type)), type);
    EXPECT_EQ(name_of(column_type::number), "float");
    EXPECT_EQ(column_type_named("number"), std::nullopt);
    EXPECT_EQ(column_type_named(""), std::nullopt);
}

TEST(column_type, of_a_text) {
    for (const char* const text :
         {"0", "7", "-12", "64500", "9223372036854775807", "-9223372036854775808", "18446744073709551615"})
        EXPECT_EQ(narrowest({text}), column_type::integer) << text;
    for (const char* const text :
         {"-0.0", "0.5", "1.50", "1e3", "1E+3", "-1.5e-3", "1.7976931348623157e308", "47.0"})
        EXPECT_EQ(narrowest({text}), column_type::number) << text;
    for (const char* const text : {"true", "false"})
        EXPECT_EQ(narrowest({text}), column_type::boolean) << text;
    const std::string texts =
        "|-0|-|007|00|+1|1.|.5|1e|1e+|0x1| 1|1 |1,5|1_0|1e400|nan|inf|--1|True|1.2.3|1e5x|yes|"
        "18446744073709551616|-9223372036854775809|";
    for (const std::string& text : testing::split(texts, '|'))
        EXPECT_EQ(narrowest({text}), column_type::text) << text;
}

TEST(column_type, of_several_texts) {
    EXPECT_EQ(narrowest({"1", "2.5"}), column_type::number);
    EXPECT_EQ(narrowest({"-1", "9223372036854775807"}), column_type::integer);
    EXPECT_EQ(narrowest({"1", "18446744073709551615"}), column_type::integer);
    EXPECT_EQ(narrowest({"-1", "18446744073709551615"}), column_type::number) << "neither 64 bits hold both";
    EXPECT_EQ(narrowest({"1", "true"}), column_type::text);
    EXPECT_EQ(narrowest({"1", "a"}), column_type::text);
    EXPECT_EQ(narrowest({"1", "18446744073709551616"}), column_type::text) << "a double would lose digits";
    EXPECT_TRUE(common_types::of("18446744073709551616").has(column_type::number)) << "JSON may write it";
    EXPECT_TRUE(common_types::of("1").has(column_type::text));
    EXPECT_FALSE(common_types::of("1e3").has(column_type::integer));
    EXPECT_EQ(joined(column_type::integer, column_type::number), column_type::number);
    EXPECT_EQ(joined(column_type::integer, column_type::boolean), column_type::text);
}

TEST(value_rows, KeepMissingCellsApartFromEmptyTexts) {
    value_rows rows(std::vector<std::string_view>{"a", "b"});
    const std::vector<std::string_view> missing{missing_cell, ""};
    const std::vector<std::string_view> empty{"", missing_cell};
    EXPECT_EQ(rows.intern(missing), next_hop{0});
    EXPECT_EQ(rows.intern(empty), next_hop{1});
    // The index of texts grows several times; both rows must keep their numbers.
    for (std::uint32_t i = 0; i < 1000; ++i)
        (void)rows.intern(std::vector<std::string_view>{std::to_string(i), missing_cell});
    EXPECT_EQ(rows.intern(empty), next_hop{1});
    EXPECT_EQ(rows.intern(missing), next_hop{0});
    const std::vector<std::string_view> both{"", missing_cell, missing_cell, "", missing_cell, missing_cell};
    std::vector<next_hop> numbers(3);
    rows.intern(both, numbers);
    EXPECT_EQ(numbers, (std::vector<next_hop>{{1}, {0}, {1002}}));
    for (const auto& cell : {rows.cell({0}, 0), rows.view().cell({0}, 0), rows.cell({1}, 1)})
        EXPECT_TRUE(is_missing(cell));
    for (const auto& cell : {rows.cell({0}, 1), rows.view().cell({0}, 1), rows.view().cell({1}, 0)}) {
        EXPECT_FALSE(is_missing(cell));
        EXPECT_EQ(cell, "");
    }
}

TEST(value_rows, SayWhatTheCellsOfAColumnHaveInCommon) {
    value_rows rows(std::vector<std::string_view>{"7", "b", "c"});
    for (const auto& [a, b] : std::vector<std::pair<std::string_view, std::string_view>>{
             {"1", missing_cell}, {missing_cell, missing_cell}, {"2.5", missing_cell}})
        (void)rows.intern(std::vector<std::string_view>{a, b, "x"});
    const std::vector<common_types> common = rows.common();
    EXPECT_EQ(common[0].narrowest(), column_type::number) << "names of columns do not count";
    EXPECT_FALSE(common[1].has_texts());
    EXPECT_TRUE(common[2].is_text_alone());
    EXPECT_TRUE(rows.has_cells(0));
    EXPECT_FALSE(rows.has_cells(1));
    EXPECT_EQ(rows.view().type(0), column_type::text) << "nothing was set";
    rows.set_type(0, column_type::number);
    EXPECT_EQ(rows.view().type(0), column_type::number);
    EXPECT_EQ(rows.view().type(2), column_type::text);
}

} // namespace
} // namespace fingerpost::of_column_type
