// Blocks of rows through a worker, over tables whose routes have several columns.
#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/enrich/worker.hpp"
#include "cli/failure.hpp"

namespace fingerpost::cli::enrich {
namespace {

constexpr std::array<std::string_view, 3> column_names{"asn", "country", "name"};

std::unique_ptr<answer_table> table_of_three_columns() {
    io::table_builder builder({.both = true}, column_names);
    const auto add4 = [&](const char* where, std::array<std::string_view, 3> cells) {
        builder.add(*parse_prefix<ipv4_address>(where), cells);
    };
    const auto add6 = [&](const char* where, std::array<std::string_view, 3> cells) {
        builder.add(*parse_prefix<ipv6_address>(where), cells);
    };
    add4("10.0.0.0/8", {"64500", "DE", "one, two"});
    add4("10.1.0.0/16", {"64501", "", "say \"x\""});
    add6("2001:db8::/32", {"64502", "FR", "tab\there"});
    return std::make_unique<answer_table>(std::move(builder).finish_both(3), std::nullopt, "");
}

struct bench {
    std::unique_ptr<answer_table> table = table_of_three_columns();
    std::vector<named_table> tables{{"geo", table.get()}};
    scan_choice scan;
    column_plan plan{};
    std::vector<std::string> add;
    std::size_t cache_bytes = 1 << 20;

    enriched_block run(const std::string& text) {
        plan_choice choice{style_of(scan.kind, true, log_style::pairs), scan.names, add, false};
        if (choice.fields.empty())
            choice.fields.emplace_back();
        plan = make_plan(tables, choice);
        worker one({&scan, &plan, tables, miss_policy::empty, error_policy::null, cache_bytes});
        return one.work({text, "test", 1});
    }
};

TEST(enrich_worker, adds_all_columns_to_csv) {
    bench b;
    b.scan = {.kind = row_kind::csv, .columns = {1}, .names = {"ip"}};
    const enriched_block made = b.run("a,10.2.0.1\nb,10.1.0.1\r\nc,2001:db8::1\nd,8.8.8.8\n");
    EXPECT_EQ(made.out, "a,10.2.0.1,10.0.0.0/8,64500,DE,\"one, two\"\n"
                        "b,10.1.0.1,10.1.0.0/16,64501,,\"say \"\"x\"\"\"\r\n"
                        "c,2001:db8::1,2001:db8::/32,64502,FR,tab\there\n"
                        "d,8.8.8.8,,,,\n");
    EXPECT_EQ(b.plan.names(), (std::vector<std::string>{"prefix", "asn", "country", "name"}));
    EXPECT_EQ(made.counts.matched, 3);
    EXPECT_EQ(made.counts.missed, 1);
}

TEST(enrich_worker, adds_chosen_columns_in_their_order) {
    bench b;
    b.scan = {.kind = row_kind::ndjson, .names = {"a.ip", "b"}, .members = {{"a", "ip"}, {"b"}}};
    b.add = {"country", "prefix"};
    EXPECT_EQ(b.run(R"({"a":{"ip":"10.1.0.1"},"b":"10.0.0.1"})"
                    "\n")
                  .out,
              R"({"a":{"ip":"10.1.0.1"},"b":"10.0.0.1","a.ip_country":null,"a.ip_prefix":"10.1.0.0/16",)"
              R"("b_country":"DE","b_prefix":"10.0.0.0/8"})"
              "\n");
}

TEST(enrich_worker, escapes_values_in_each_style) {
    bench b;
    b.scan = {.kind = row_kind::lines};
    b.add = {"name"};
    EXPECT_EQ(b.run("2001:db8::1\n10.1.0.1").out, "2001:db8::1\ttab\\there\n10.1.0.1\tsay \"x\"");
    b.scan.kind = row_kind::log;
    EXPECT_EQ(b.run("at 10.2.0.1!\n").out, "at 10.2.0.1! name=\"one, two\"\n");
    b.scan.kind = row_kind::tsv;
    b.scan.dialect = {'\t', true};
    b.scan.columns = {0};
    b.scan.names = {"ip"};
    EXPECT_EQ(b.run("2001:db8::1\n").out, "2001:db8::1\t\"tab\there\"\n");
}

TEST(enrich_worker, refuses_columns_that_no_table_has) {
    bench b;
    b.scan = {.kind = row_kind::lines};
    b.add = {"city"};
    EXPECT_THROW(b.run("10.0.0.1\n"), usage_error);
}

// Columns that are forgotten again and again, more often than the rounds are numbered, are the same.
TEST(enrich_worker, forgets_columns_and_makes_them_anew) {
    bench b;
    b.scan = {.kind = row_kind::lines};
    std::string text;
    for (unsigned i = 0; i < 2000; ++i)
        text += i % 3 == 0 ? "10.1.0.1\n" : i % 3 == 1 ? "10.2.0.1\n" : "2001:db8::1\n";
    const std::string wanted = b.run(text).out;
    b.cache_bytes = 0;
    EXPECT_EQ(b.run(text).out, wanted);
    EXPECT_NE(wanted.find("10.1.0.1\t10.1.0.0/16\t64501\t\tsay \"x\"\n"), std::string::npos);
}

} // namespace
} // namespace fingerpost::cli::enrich
