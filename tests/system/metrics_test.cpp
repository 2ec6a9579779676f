// The text format of metrics is valid for any label.
#include "system/metrics.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <regex>
#include <sstream>

namespace fingerpost::system {
namespace {

TEST(Metrics, CountersAndGauges) {
    metrics_writer out;
    out.begin("fingerpost_dropped_packets_total", metric_kind::counter, "Packets dropped, by reason.");
    out.sample({{"reason", "ttl"}, {"port", "left"}}, std::uint64_t{12});
    out.sample({{"reason", "no_route"}, {"port", "left"}}, std::numeric_limits<std::uint64_t>::max());
    out.begin("fingerpost:busy_share", metric_kind::gauge, "");
    out.sample({}, 0.25);
    EXPECT_EQ(std::move(out).text(), "# HELP fingerpost_dropped_packets_total Packets dropped, by reason.\n"
                                     "# TYPE fingerpost_dropped_packets_total counter\n"
                                     "fingerpost_dropped_packets_total{reason=\"ttl\",port=\"left\"} 12\n"
                                     "fingerpost_dropped_packets_total{reason=\"no_route\",port=\"left\"} "
                                     "18446744073709551615\n"
                                     "# HELP fingerpost:busy_share \n"
                                     "# TYPE fingerpost:busy_share gauge\n"
                                     "fingerpost:busy_share 0.25\n");
}

TEST(Metrics, HistogramsCumulate) {
    metrics_writer out;
    out.begin("burst", metric_kind::histogram, "Packets in a burst.");
    const std::array bounds{1.0, 8.0, 32.0};
    const std::array<std::uint64_t, 4> counts{5, 0, 7, 1};
    out.histogram({{"thread", "receive0"}}, bounds, counts, 200.5);
    EXPECT_EQ(std::move(out).text(), "# HELP burst Packets in a burst.\n"
                                     "# TYPE burst histogram\n"
                                     "burst_bucket{thread=\"receive0\",le=\"1\"} 5\n"
                                     "burst_bucket{thread=\"receive0\",le=\"8\"} 5\n"
                                     "burst_bucket{thread=\"receive0\",le=\"32\"} 12\n"
                                     "burst_bucket{thread=\"receive0\",le=\"+Inf\"} 13\n"
                                     "burst_sum{thread=\"receive0\"} 200.5\n"
                                     "burst_count{thread=\"receive0\"} 13\n");
}

TEST(Metrics, HistogramsWithoutLabelsAndBounds) {
    metrics_writer out;
    out.begin("h", metric_kind::histogram, "x");
    const std::array<std::uint64_t, 1> counts{3};
    out.histogram({}, {}, counts, 1);
    EXPECT_EQ(std::move(out).text(),
              "# HELP h x\n# TYPE h histogram\nh_bucket{le=\"+Inf\"} 3\nh_sum 1\nh_count 3\n");
}

std::string label_of(std::string_view value) {
    metrics_writer out;
    out.begin("m", metric_kind::gauge, "x");
    out.sample({{"l", value}}, std::uint64_t{1});
    const std::string text = std::move(out).text();
    const std::size_t first = text.find('"');
    return text.substr(first + 1, text.rfind('"') - first - 1);
}

TEST(Metrics, LabelsAreEscaped) {
    EXPECT_EQ(label_of("a\"b\\c\nd"), R"(a\"b\\c\nd)");
    EXPECT_EQ(label_of("\u00e4\u20ac\U0001f600"), "\u00e4\u20ac\U0001f600");
}

TEST(Metrics, HelpKeepsItsQuotes) {
    metrics_writer out;
    out.begin("m", metric_kind::gauge, "a \"b\" \\ \n c");
    EXPECT_TRUE(std::move(out).text().starts_with("# HELP m a \"b\" \\\\ \\n c\n"));
}

TEST(Metrics, BytesThatAreNoUtf8AreReplaced) {
    constexpr const char* replaced = "\xef\xbf\xbd";
    // Invalid UTF-8: a stray byte, an overlong form, half of a surrogate pair, a code point that is too
    // large, and a truncated form.
    EXPECT_EQ(label_of("a\xff\x62"), std::string("a") + replaced + "b");
    EXPECT_EQ(label_of("\xc0\xaf"), std::string(replaced) + replaced);
    EXPECT_EQ(label_of("\xe0\x80\xaf"), std::string(replaced) + replaced + replaced);
    EXPECT_EQ(label_of("\xed\xa0\x80"), std::string(replaced) + replaced + replaced);
    EXPECT_EQ(label_of("\xf4\x90\x80\x80"), std::string(replaced) + replaced + replaced + replaced);
    EXPECT_EQ(label_of("x\xe2\x82"), std::string("x") + replaced + replaced);
    EXPECT_EQ(label_of("\xe2\x82\n"), std::string(replaced) + replaced + "\\n");
}

TEST(Metrics, NumbersThatAreNone) {
    metrics_writer out;
    out.begin("m", metric_kind::gauge, "x");
    out.sample({}, std::numeric_limits<double>::quiet_NaN());
    out.sample({}, std::numeric_limits<double>::infinity());
    out.sample({}, -std::numeric_limits<double>::infinity());
    out.sample({}, 1e300);
    const std::string text = std::move(out).text();
    EXPECT_NE(text.find("m NaN\nm +Inf\nm -Inf\nm 1e+300\n"), std::string::npos) << text;
}

// Checks every line against the grammar of the format, with labels of all bytes.
TEST(Metrics, EveryLineFollowsTheGrammar) {
    metrics_writer out;
    std::string all;
    for (int byte = 0; byte < 256; ++byte)
        all += static_cast<char>(byte);
    out.begin("a_total", metric_kind::counter, all);
    for (std::size_t at = 0; at < all.size(); ++at)
        out.sample({{"name", std::string_view(all).substr(at, 3)}, {"b", "x"}}, static_cast<double>(at) / 3);
    const std::string text = std::move(out).text();
    EXPECT_EQ(text.back(), '\n');
    const std::regex sample(
        R"re([a-zA-Z_:][a-zA-Z0-9_:]*(\{([a-zA-Z_][a-zA-Z0-9_]*="([^"\\\n]|\\\\|\\"|\\n)*",?)*\})? [-+0-9.e]+)re");
    const std::regex comment(R"re(# (HELP|TYPE) [a-zA-Z_:][a-zA-Z0-9_:]* ([^\\]|\\\\|\\n)*)re");
    std::istringstream lines(text);
    std::size_t checked = 0;
    for (std::string line; std::getline(lines, line); ++checked)
        EXPECT_TRUE(std::regex_match(line, line[0] == '#' ? comment : sample)) << line;
    EXPECT_EQ(checked, 258U);
}

} // namespace
} // namespace fingerpost::system
