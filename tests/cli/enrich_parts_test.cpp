// Parts of enrich that pages in tests/pages cannot reach: large counts, the remaining time, and eviction from
// columns.
#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "cli/enrich/enrich_worker.hpp"
#include "cli/enrich/select/address_counts.hpp"
#include "terminal/table/reading_progress.hpp"

namespace fingerpost::cli::enrich {
namespace {

TEST(enrich_select, addresses_are_counted_however_many_there_are) {
    using counts = address_counts<ipv6_address>;
    std::mt19937_64 random(4);
    for (const std::uint64_t different : {std::uint64_t{3}, std::uint64_t{50'000}, std::uint64_t{1} << 40}) {
        std::map<ipv6_address, std::uint64_t> wanted;
        std::vector<counts> parts(3);
        for (unsigned i = 0; i < 300'000; ++i) {
            const ipv6_address address{random() % different};
            ++wanted[address];
            parts[i % 7 == 0 ? 1 : 0].add(address);
        }
        counts sum;
        for (const counts& part : parts)
            part.add_to(sum);
        EXPECT_TRUE(std::equal(
            sum.counts().begin(), sum.counts().end(), wanted.begin(), wanted.end(),
            [](const auto& a, const auto& b) { return a.first == b.first && a.second == b.second; }))
            << different;
    }
}

TEST(enrich_select, time_is_left_in_proportion) {
    EXPECT_DOUBLE_EQ(seconds_left(25, 100, 2), 6);
    EXPECT_DOUBLE_EQ(seconds_left(100, 100, 2), 0);
    EXPECT_LT(seconds_left(0, 100, 2), 0) << "nothing to go by";
    EXPECT_LT(seconds_left(101, 100, 2), 0) << "the file has grown";
    EXPECT_LT(seconds_left(5, 0, 2), 0) << "the size is not known";
    EXPECT_EQ(file_bytes("/dev/null"), 0);
    EXPECT_EQ(file_bytes("/nowhere/at/all"), 0);
}

std::unique_ptr<answer_table> table_of_two_columns() {
    constexpr std::array<std::string_view, 2> names{"asn", "name"};
    io::table_builder builder({.both = true}, names);
    builder.add(*parse_prefix<ipv4_address>("10.0.0.0/8"),
                std::array<std::string_view, 2>{"64500", "one, two"});
    builder.add(*parse_prefix<ipv4_address>("10.1.0.0/16"), std::array<std::string_view, 2>{"", "say \"x\""});
    builder.add(*parse_prefix<ipv6_address>("2001:db8::/32"), std::array<std::string_view, 2>{"64502", ""});
    return std::make_unique<answer_table>(std::move(builder).finish_both(2), std::nullopt, "");
}

// Columns stay right when their values are evicted more often than the round counter can count.
TEST(enrich_worker, forgets_columns_and_makes_them_anew) {
    const auto table = table_of_two_columns();
    const std::vector<named_table> tables{{"geo", table.get()}};
    const scan_choice scan{.kind = row_kind::lines};
    plan_choice choice{style_of({scan.kind, scan.dialect}, log_style::pairs), scan.names, {}, false, {}};
    choice.fields.emplace_back();
    const column_plan plan = make_plan(tables, choice);
    std::string text, wanted;
    for (unsigned i = 0; i < 2000; ++i) {
        text += i % 3 == 0 ? "10.1.0.1\n" : i % 3 == 1 ? "10.2.0.1\n" : "2001:db8::1\n";
        wanted += i % 3 == 0   ? "10.1.0.1\t10.1.0.0/16\t\tsay \"x\"\n"
                  : i % 3 == 1 ? "10.2.0.1\t10.0.0.0/8\t64500\tone, two\n"
                               : "2001:db8::1\t2001:db8::/32\t64502\t\n";
    }
    for (const std::size_t cache_bytes : {std::size_t{0}, std::size_t{1} << 20}) {
        worker one({&scan, &plan, tables, miss_policy::empty, error_policy::null, {}, cache_bytes});
        EXPECT_EQ(one.work({text, "test", 1}).out, wanted);
    }
}

} // namespace
} // namespace fingerpost::cli::enrich
