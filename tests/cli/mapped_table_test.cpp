// Images that no command writes, and the interval of an answer. tests/pages/image.md covers the rest.
#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "cli/answers/answers.hpp"
#include "cli/explain/answer_range.hpp"
#include "cli/lookup/prefix_queries.hpp"
#include "terminal/failure.hpp"
#include "tests/support/images.hpp"

namespace fingerpost::cli {
namespace {

using testing::addresses_to_try;
using testing::mixed_routes;
using testing::rows_of_two_columns;

std::string answered(const answer_table& table, row_format format, const std::vector<std::string>& asked) {
    std::string out;
    row_writer writer(format, true, {.columns = table.columns()});
    writer.keep_texts();
    answers some(table);
    writer.begin(out);
    for (const std::string& one : asked) {
        if (const auto error = some.ask(one))
            some.keep(one, message(*error));
        if (some.is_full())
            some.write(writer, out);
    }
    some.write(writer, out);
    route_trees trees;
    for (const auto kind :
         {match_kind::longest, match_kind::exact, match_kind::covering, match_kind::covered}) {
        prefix_queries queries(table, trees, kind);
        for (std::size_t i = 0; i < asked.size(); i += 20) {
            (void)queries.ask(asked[i]);
            (void)queries.ask(asked[i] + (asked[i].find(':') == std::string::npos ? "/12" : "/24"));
        }
        queries.write(writer, out);
    }
    writer.end(out);
    return out;
}

// A mapped image shows the same numbers and columns as a loaded copy, for a family without values and for one
// with two columns.
TEST(mapped_table, NumbersAndColumnsAreThoseOfTheCopy) {
    const testing::scratch_folder folder;
    const value_rows rows = rows_of_two_columns(40);
    const auto four = mixed_routes<ipv4_address>(3, 300, 4'000'000'000);
    const auto six = mixed_routes<ipv6_address>(3, 300, 40);
    const auto path = (folder / "image").string();
    ASSERT_FALSE(save_both_images(path, routes(four), {}, routes(six), rows.view()).failed());
    const answer_table mapped(*io::open_tables(path), {}, "");
    const answer_table copied(*io::load_both(path), std::nullopt, "");
    ASSERT_EQ(mapped.columns(), (std::vector<std::string>{"next_hop", "asn", "country"}));
    ASSERT_EQ(copied.columns(), mapped.columns());
    std::vector<std::string> asked;
    for (const ipv4_address a : addresses_to_try<ipv4_address>(four))
        asked.push_back(to_string(a));
    for (const ipv6_address a : addresses_to_try<ipv6_address>(six))
        asked.push_back(to_string(a));
    for (const auto format : {row_format::text, row_format::csv, row_format::lines})
        ASSERT_TRUE(answered(mapped, format, asked) == answered(copied, format, asked));
    // Options: another scheme copies the table; the choice of columns or families does not change answers.
    for (const std::string scheme : {"", "patricia"}) {
        table_choice choice;
        choice.path = path;
        choice.values = {"country"};
        choice.family = 6;
        const answer_table some(*io::open_tables(path), choice, scheme);
        const answer_table right(
            *io::load_both(path, {.table = {.only = family::ipv6, .values = {"country"}}}), family::ipv6, "");
        ASSERT_TRUE(answered(some, row_format::csv, asked) == answered(right, row_format::csv, asked));
        choice.values = {"city"};
        EXPECT_THROW(answer_table(*io::open_tables(path), choice, scheme), failure);
    }
}

TEST(mapped_table, AnswersOfFamiliesWithoutRoutesAreThoseOfText) {
    const testing::scratch_folder folder;
    ASSERT_FALSE(
        ipv6_image::save(folder / "none", routes<ipv6_address>(std::vector<route<ipv6_address>>())).failed());
    const answer_table none(*io::open_tables(folder / "none"), {}, "");
    EXPECT_NE(none.ipv4(), nullptr);
    EXPECT_NE(none.ipv6(), nullptr);
}

TEST(answer_range, IsThatOfTheIntervals) {
    for (const std::uint32_t hops : {1U, 3U, 40U}) {
        const auto all = mixed_routes<ipv6_address>(hops, 3000, hops);
        const interval_list<ipv6_address> intervals =
            elementary_intervals(std::span<const route<ipv6_address>>(all));
        const auto at = addresses_to_try<ipv6_address>(all);
        for (std::size_t i = 0; i < at.size(); i += at.size() / 300) {
            const auto end = std::lower_bound(intervals.ends.begin(), intervals.ends.end(), at[i]);
            const auto [first, last] = range_of_answer(all, at[i]);
            EXPECT_EQ(last, *end);
            EXPECT_EQ(first.value, end == intervals.ends.begin() ? u128{0} : (end - 1)->value + 1);
        }
    }
    const auto [first, last] = range_of_answer(std::vector<route<ipv4_address>>(), ipv4_address{7});
    EXPECT_EQ(first, ipv4_address::first());
    EXPECT_EQ(last, ipv4_address::last());
}

} // namespace
} // namespace fingerpost::cli
