// A table that was built and its image: the same matches, prefixes and cells.
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

using namespace testing;

template <class A>
io::loaded_table<A> loaded(const testing::table<A>& routes, const value_rows& rows) {
    return {routes, rows, {}};
}

// Both families in both ways, in files that go with it.
struct two_tables {
    explicit two_tables(std::uint64_t seed, std::size_t count = 3000)
        : four(mixed_routes<ipv4_address>(seed, count, 40)), six(mixed_routes<ipv6_address>(seed, count, 40)),
          built({loaded(four, rows), loaded(six, rows)}, std::nullopt, "") {
        const auto path = (folder / "image").string();
        EXPECT_FALSE(save_both_images(path, routes(four), rows.view(), routes(six), rows.view()).failed());
        mapped.emplace(*io::open_tables(path), table_choice{}, "");
    }

    scratch_folder folder;
    testing::table<ipv4_address> four;
    testing::table<ipv6_address> six;
    value_rows rows = rows_of_two_columns(40);
    answer_table built;
    std::optional<answer_table> mapped;
};

template <class A>
std::size_t compare(const testing::table<A>& all, const family_table<A>& built,
                    const family_table<A>& mapped) {
    const auto at = addresses_to_try<A>(all);
    std::vector<next_hop> right(at.size()), got(at.size());
    built.look_up(at, right);
    mapped.look_up(at, got);
    std::size_t matches = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
        EXPECT_EQ(got[i], right[i]) << text_of(at[i]);
        if (got[i] != right[i] || got[i] == next_hop::none)
            continue;
        ++matches;
        EXPECT_EQ(mapped.prefix_of(got[i]), built.prefix_of(right[i]));
        for (std::size_t column = 0; column < built.values().columns(); ++column)
            EXPECT_EQ(mapped.values().cell(mapped.row_of(got[i]), column),
                      built.values().cell(built.row_of(right[i]), column));
    }
    // One by one, and in blocks that no group divides.
    for (std::size_t i = 0; i < at.size(); i += 1 + i % 67) {
        const std::size_t count = std::min<std::size_t>(i % 67 + 1, at.size() - i);
        std::vector<next_hop> some(count);
        mapped.look_up(std::span(at).subspan(i, count), some);
        EXPECT_TRUE(std::equal(some.begin(), some.end(), right.begin() + static_cast<std::ptrdiff_t>(i)));
    }
    return matches;
}

TEST(mapped_table, HasTheMatchesOfTheTableThatWasBuilt) {
    std::size_t matches = 0;
    for (const std::size_t count : {1, 31, 32, 33, 64, 3000}) {
        const two_tables both(count, count);
        ASSERT_EQ(both.mapped->columns(), both.built.columns());
        matches += compare(both.four, *both.built.ipv4(), *both.mapped->ipv4());
        matches += compare(both.six, *both.built.ipv6(), *both.mapped->ipv6());
    }
    EXPECT_GE(matches, 20'000U);
}

// Many routes that begin with the same bits, which samples of the routes do not tell apart.
TEST(mapped_table, FindsRoutesThatBeginAlike) {
    testing::table<ipv6_address> all;
    const u128 start = u128{0x2001'0db8'0000'0001U} << 64;
    for (unsigned length = 0; length <= 64; ++length)
        all.push_back({prefix<ipv6_address>::make(ipv6_address{start}, length), {length % 40}});
    for (std::uint32_t i = 0; i < 500; ++i)
        all.push_back({prefix<ipv6_address>::make(ipv6_address{start + 16 * i}, 124 + i % 5), {i % 40}});
    all = sorted(std::move(all));
    const value_rows rows = rows_of_two_columns(40);
    const scratch_folder folder;
    ASSERT_FALSE(ipv6_image::save(folder / "a", routes(all), rows.view()).failed());
    const answer_table mapped(*io::open_tables(folder / "a"), {}, "");
    const answer_table built({{}, loaded(all, rows)}, family::ipv6, "");
    ASSERT_EQ(mapped.ipv4(), nullptr);
    EXPECT_GE(compare(all, *built.ipv6(), *mapped.ipv6()), 1500U);
}

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
    for (const auto kind :
         {match_kind::longest, match_kind::exact, match_kind::covering, match_kind::covered}) {
        prefix_queries queries(table, kind);
        for (std::size_t i = 0; i < asked.size(); i += 20) {
            (void)queries.ask(asked[i]);
            (void)queries.ask(asked[i] + (asked[i].find(':') == std::string::npos ? "/12" : "/24"));
        }
        queries.write(writer, out);
    }
    writer.end(out);
    return out;
}

TEST(mapped_table, AnswersInEveryForm) {
    const two_tables both(7, 400);
    std::vector<std::string> asked{"10.1", "", "::ffff:10.0.0.1"};
    for (const ipv4_address a : addresses_to_try<ipv4_address>(both.four))
        asked.push_back(to_string(a));
    for (const ipv6_address a : addresses_to_try<ipv6_address>(both.six))
        asked.push_back(to_string(a));
    for (const auto format :
         {row_format::text, row_format::csv, row_format::ndjson, row_format::json, row_format::lines})
        ASSERT_TRUE(answered(both.built, format, asked) == answered(*both.mapped, format, asked));
}

// An image without values has numbers, and of two with other columns each has its own.
TEST(mapped_table, NumbersAndColumnsAreThoseOfTheCopy) {
    const scratch_folder folder;
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
    // Options that choose: another scheme copies, columns and families do not change answers.
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
    const scratch_folder folder;
    ASSERT_FALSE(
        ipv6_image::save(folder / "none", routes<ipv6_address>(std::vector<route<ipv6_address>>())).failed());
    const answer_table none(*io::open_tables(folder / "none"), {}, "");
    EXPECT_NE(none.ipv4(), nullptr);
    EXPECT_NE(none.ipv6(), nullptr);
    table_choice choice;
    choice.family = 4;
    const two_tables both(5, 100);
    const answer_table four(*io::open_tables(both.folder / "image"), choice, "");
    EXPECT_EQ(four.ipv6(), nullptr);
    EXPECT_EQ(four.ipv4()->size(), both.four.size());
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
