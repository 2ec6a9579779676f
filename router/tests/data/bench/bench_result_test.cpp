// Warnings of the router's benchmark about figures from a busy machine.
#include "router/bench/router_result.hpp"

#include <gtest/gtest.h>

namespace fingerpost::bench {
namespace {

router_row measured(std::vector<double> rounds) {
    router_row row;
    row.name = "planb";
    row.way = "complete";
    row.mpps = quartiles_of(rounds);
    row.mpps_rounds = std::move(rounds);
    return row;
}

TEST(router_bench_result, rounds_that_agree_need_no_warning) {
    router_report report;
    report.rows = {measured({10, 10.4, 9.9, 10.1}), measured({0.004, 0.0041, 0.0042})};
    report.rows[0].changing = change_result{.loss_percent = {-3, -1, 2}};
    EXPECT_TRUE(warnings_of(report).empty()) << warnings_of(report).front();
    const std::string table = to_text(report);
    EXPECT_EQ(table.find("0.00 "), std::string::npos) << "slow is not nothing\n" << table;
    EXPECT_NE(table.find("0.0041"), std::string::npos) << table;
}

TEST(router_bench_result, what_a_busy_machine_spoils_is_told) {
    router_report report;
    report.rows = {measured({10, 0, 4, 11, 0}), measured({10, 10, 10}), measured({5, 5, 5})};
    report.rows[1].changing = change_result{.loss_percent = {-90, -71, 10}};
    report.rows[1].replacing = change_result{.loss_percent = {20, 30, 40}};
    report.rows[2].fault = "it was not measured";
    const std::vector<std::string> said = warnings_of(report);
    ASSERT_EQ(said.size(), 2U);
    EXPECT_EQ(said[0],
              "planb complete is not reliable, because something else ran on its cores; it forwarded nothing "
              "in 2 of 5 rounds; half of its rounds are between 0.00 and 10.00 Mpps");
    EXPECT_EQ(said[1], "planb complete is not reliable, because something else ran on its cores; changing "
                       "seems to gain 71 % although it can only lose");
}

} // namespace
} // namespace fingerpost::bench
