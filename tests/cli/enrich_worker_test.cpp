// Blocks of rows through a worker, over tables whose routes have several columns.
#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/enrich/enrich_worker.hpp"
#include "terminal/failure.hpp"

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
    std::vector<renaming> renamings;
    std::size_t cache_bytes = 1 << 20;

    enriched_block run(const std::string& text) {
        plan_choice choice{style_of({scan.kind, scan.dialect}, log_style::pairs), scan.names, add, false,
                           renamings};
        if (choice.fields.empty())
            choice.fields.emplace_back();
        plan = make_plan(tables, choice);
        worker one({&scan, &plan, tables, miss_policy::empty, error_policy::null, {}, cache_bytes});
        return one.work({text, "test", 1});
    }
};

TEST(enrich_worker, adds_all_columns_to_csv) {
    bench b;
    b.scan = {.kind = row_kind::csv, .columns = {1}, .width = 2, .names = {"ip"}};
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

TEST(enrich_worker, keeps_the_order_of_the_address_among_columns) {
    bench b;
    b.scan = {.kind = row_kind::ndjson, .names = {"ip"}, .members = {{"ip"}}};
    b.add = {"prefix", "name", "address", "asn"};
    EXPECT_EQ(b.run("{\"ip\":\"10.2.0.1\"}\n").out,
              R"({"ip":"10.2.0.1","prefix":"10.0.0.0/8","name":"one, two","address":"10.2.0.1","asn":64500})"
              "\n");
    EXPECT_EQ(b.plan.fields[0].size(), 3) << "columns of a table that stand together are made together";
    b.tables.push_back({"bgp", b.table.get()});
    b.add = {"asn", "address", "name"};
    EXPECT_EQ((b.run("\n"), b.plan.names()),
              (std::vector<std::string>{"geo_asn", "bgp_asn", "address", "geo_name", "bgp_name"}));
}

TEST(enrich_worker, renames_columns_and_refuses_equal_ones) {
    using names = std::vector<std::string>;
    bench b;
    b.scan = {.kind = row_kind::ndjson, .names = {"a", "b"}, .members = {{"a"}, {"b"}}};
    b.add = {"prefix", "asn"};
    b.renamings = {{"prefix", "net"}, {"b_asn", "as"}, {"city", "x"}};
    b.run("\n");
    EXPECT_EQ(b.plan.names(), (names{"a_net", "a_asn", "b_net", "as"}));
    EXPECT_EQ(b.plan.unmet, (std::vector<renaming>{{"city", "x"}}));
    // Columns exchange their names, and words of --columns mean the names in the output.
    b.renamings = {{"prefix", "asn"}, {"asn", "prefix"}};
    b.run("\n");
    EXPECT_EQ(b.plan.names(), (names{"a_prefix", "a_asn", "b_prefix", "b_asn"}));
    for (const renaming& bad :
         {renaming{"prefix", "asn"}, renaming{"a_asn", "b_prefix"}, renaming{"asn", "prefix"}}) {
        b.renamings = {bad};
        EXPECT_THROW(b.run("\n"), usage_error) << bad.from;
    }
    b.renamings = {};
    b.add = {"asn", "asn"};
    EXPECT_THROW(b.run("\n"), usage_error);
}

// A row with too few or too many fields shifts no column.
TEST(enrich_worker, fills_short_rows_and_leaves_long_ones_out) {
    bench b;
    b.scan = {.kind = row_kind::csv, .columns = {0}, .width = 3, .names = {"ip"}};
    b.add = {"asn"};
    const enriched_block made = b.run("10.0.0.1,1,2\n10.0.0.1,1\r\n\n10.0.0.1\n10.0.0.1,\"1,2\",3,4\n,,\n");
    EXPECT_EQ(made.out, "10.0.0.1,1,2,64500\n10.0.0.1,1,,\r\n\n10.0.0.1,,,\n,,,\n");
    EXPECT_EQ(made.counts.rows, 5);
    EXPECT_EQ(made.counts.bad, 3);
    EXPECT_EQ(made.faults.count(fault::malformed), 3);
    EXPECT_EQ(made.faults.reported()[1].second.reason, "1 field, but the header has 3");
}

TEST(enrich_worker, passes_on_rows_that_have_an_added_name) {
    bench b;
    b.scan = {.kind = row_kind::ndjson, .names = {"ip"}, .members = {{"ip"}}, .added = {"asn", "prefix"}};
    b.add = {"asn", "prefix"};
    const std::string text = R"({"asn":1,"ip":"10.0.0.1"})"
                             "\n"
                             R"({"ip":"10.0.0.1","pre\u0066ix":{}})"
                             "\n";
    const enriched_block made = b.run(text + R"({"ip":"10.0.0.1","x":{"asn":1},"asN":2})"
                                             "\n");
    EXPECT_EQ(made.out, text + R"({"ip":"10.0.0.1","x":{"asn":1},"asN":2,"asn":64500,"prefix":"10.0.0.0/8"})"
                               "\n");
    EXPECT_EQ(made.counts.bad, 2);
    EXPECT_EQ(made.faults.count(fault::taken_name), 2);
    b.scan = {.kind = row_kind::log, .added = {"asn", "prefix"}};
    EXPECT_EQ(b.run("10.0.0.1 asn=5\n10.0.0.1 xasn=5\n").out,
              "10.0.0.1 asn=5\n10.0.0.1 xasn=5 asn=64500 prefix=10.0.0.0/8\n");
}

TEST(enrich_worker, writes_pairs_that_can_be_read_back) {
    const auto pair = [](std::string_view name, std::string_view value) {
        std::string out;
        put_cell(cell_style::pairs, name, value, out);
        return out;
    };
    EXPECT_EQ(pair("a", "b"), " a=b");
    EXPECT_EQ(pair("a b", ""), " \"a b\"=");
    EXPECT_EQ(pair("", "a=b"), " \"\"=\"a=b\"");
    EXPECT_EQ(pair("a\n\"=", "x\x7fy\\"), " \"a\\u000a\\\"=\"=\"x\\u007fy\\\\\"");
    EXPECT_EQ(pair("\xff\xc3\xa9", "\xff "), " \xff\xc3\xa9=\"\xff \"") << "no byte is lost";
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
    b.scan.width = 1;
    b.scan.names = {"ip"};
    EXPECT_EQ(b.run("2001:db8::1\n").out, "2001:db8::1\t\"tab\there\"\n");
}

TEST(enrich_worker, refuses_columns_that_no_table_has) {
    bench b;
    b.scan = {.kind = row_kind::lines};
    b.add = {"city"};
    EXPECT_THROW(b.run("10.0.0.1\n"), usage_error);
}

// Columns that are forgotten again and again, more often than rounds have numbers, stay the same.
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
