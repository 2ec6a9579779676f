// Wrong configurations, each with all of its messages: those of messages.cases, and bytes that are not text.
#include <filesystem>
#include <gtest/gtest.h>
#include <utility>

#include "router/config/config.hpp"
#include "tests/support/cases.hpp"

namespace fingerpost::router {
namespace {

const std::vector<std::string> known_schemes{"planb", "poptrie"};

// Ports that are right. What is wrong comes before them, or after them.
const std::string right_ports = "[[port]]\nname = 'a'\ndevice = 'net_null0'\n"
                                "[[port]]\nname = 'b'\ndevice = 'net_null1'\n";
const std::string right_ports_of_vrfs =
    "routes = 'kernel'\n" + right_ports +
    "vlans = [5, 6]\n[[port]]\nname = 'c.d'\ndevice = 'net_null2'\nvlans = [5]\n";

TEST(WrongConfig, EachIsRefusedInTheseWords) {
    const auto page = std::filesystem::path(__FILE__).parent_path() / "messages.cases";
    const auto messages = [](const std::string& text, const std::string& place) {
        const std::string whole = place == "before two ports"    ? text + right_ports
                                  : place == "after two ports"   ? right_ports + text
                                  : place == "after three ports" ? right_ports_of_vrfs + text
                                                                 : text;
        return parse_config(whole, "r.toml", known_schemes).findings.to_text();
    };
    EXPECT_GE(testing::expect_page(page, messages), 100U);
    // The library words the messages about syntax errors.
    for (const auto& [text, place] : {std::pair{"scheme = \n", "1:10: error: "},
                                      {"[threads\n", "1:9: error: "},
                                      {"a = 1\na = 2\n", "2:"}})
        EXPECT_TRUE(messages(text, "").starts_with(std::string("r.toml:") + place)) << text;
}

TEST(WrongConfig, AllErrorsAreReportedInTheOrderOfTheFile) {
    const std::string text =
        "shceme = 'x'\nroutes = 7\n[memory]\nhuge = 1\n[[port]]\nname = 'a'\nqueues = 0\n";
    const parsed_config parsed = parse_config(text, "r.toml", known_schemes);
    std::vector<std::size_t> lines;
    for (const problem& one : parsed.findings.problems())
        lines.push_back(one.where.line);
    EXPECT_EQ(lines, (std::vector<std::size_t>{1, 2, 4, 5, 7})) << parsed.findings.to_text();
}

TEST(WrongConfig, BytesThatAreNoTextAreRefused) {
    for (const std::string& text : {std::string("a = '\xff'"), std::string("\0", 1),
                                    std::string("\xef\xbb\xbf["), std::string(100'000, '[')}) {
        const parsed_config parsed = parse_config(text, "r.toml", known_schemes);
        EXPECT_TRUE(parsed.findings.has_errors());
        EXPECT_FALSE(parsed.findings.problems().empty());
    }
}

} // namespace
} // namespace fingerpost::router
