// Addresses in fields and anywhere in a line.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/enrich/rows/addresses.hpp"

namespace fingerpost::cli::enrich {
namespace {

std::vector<std::string> all_in(std::string_view text) {
    std::vector<std::string> found;
    for (auto one = find_address(text, 0); one; one = find_address(text, one->offset + one->size))
        found.emplace_back(text.substr(one->offset, one->size));
    return found;
}

TEST(enrich_addresses, are_found_where_they_stand_alone) {
    const std::pair<const char*, const char*> lines[] = {
        {"10.0.0.1", "10.0.0.1"},
        {"from 10.0.0.1 to", "10.0.0.1"},
        {"10.0.0.1:443", "10.0.0.1"},
        {"10.0.0.1: said", "10.0.0.1"},
        {"10.0.0.1.", "10.0.0.1"},
        {"...10.0.0.1...", "10.0.0.1"},
        {"10.0.0.1,", "10.0.0.1"},
        {"[10.0.0.1]", "10.0.0.1"},
        {"[10.0.0.1]:80", "10.0.0.1"},
        {"\"10.0.0.1\"", "10.0.0.1"},
        {"ip=10.0.0.1;", "10.0.0.1"},
        {"ip:10.0.0.1:80", "10.0.0.1"},
        {"add:10.0.0.1", "10.0.0.1"},
        {"http://10.0.0.1/x", "10.0.0.1"},
        {"10.0.0.0/8", "10.0.0.0"},
        {"at 12:34:56 10.0.0.1", "10.0.0.1"},
        {"2001:db8::1", "2001:db8::1"},
        {"[2001:db8::1]:443", "2001:db8::1"},
        {"fe80::1%eth0", "fe80::1"},
        {"[fe80::1%eth0]:1", "fe80::1"},
        {"2001:db8::1: said", "2001:db8::1"},
        {"2001:db8::1.", "2001:db8::1"},
        {"peer:2001:db8::1", "2001:db8::1"},
        {"src:fe80::1", "fe80::1"},
        {"src=::1,", "::1"},
        {"[::]:80", "::"},
        {"::ffff:10.0.0.1", "::ffff:10.0.0.1"},
        {"::ffff:10.0.0.1:80", "10.0.0.1"},
        {"1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"},
        {"2001:db8::1/64", "2001:db8::1"},
        {"-10.0.0.1", "10.0.0.1"},
        {"x 10.0.0.1\xc2\xa0", nullptr},
    };
    for (const auto& [line, wanted] : lines) {
        const auto found = all_in(line);
        if (wanted == nullptr)
            EXPECT_TRUE(found.empty()) << line;
        else
            EXPECT_EQ(found, std::vector<std::string>{wanted}) << line;
    }
}

TEST(enrich_addresses, are_not_parts_of_words) {
    for (const char* const line : {"",
                                   ".",
                                   ":",
                                   "::",
                                   "1",
                                   "1.2.3",
                                   "1.2.3.4.5",
                                   "v1.2.3.4",
                                   "1.2.3.4x",
                                   "1.2.3.4-beta",
                                   "openssl-1.2.3.4",
                                   "_1.2.3.4",
                                   "1.2.3.4_",
                                   "1.2.3.4.example.com",
                                   "4.3.2.1.in-addr.arpa",
                                   "256.1.1.1",
                                   "01.2.3.4",
                                   "1.2.3.04",
                                   "12:34:56",
                                   "2026-11-23T12:34:56.789Z",
                                   "00:11:22:33:44:55",
                                   "std::string",
                                   "Foo::Bar",
                                   "a::b::c",
                                   "x::1",
                                   "::x",
                                   "1:2:3",
                                   "1.2..3.4",
                                   "\xc3\xa9"
                                   "1.2.3.4",
                                   "3.14",
                                   "a:b",
                                   "INFO :: text",
                                   "bad::alloc"})
        EXPECT_TRUE(all_in(line).empty()) << line << ": " << all_in(line).front();
}

TEST(enrich_addresses, are_found_one_after_the_other) {
    const std::vector<std::string> wanted{"10.0.0.1", "10.0.0.2", "2001:db8::1", "::1", "10.0.0.3"};
    EXPECT_EQ(all_in("10.0.0.1-10.0.0.2 [2001:db8::1]->[::1]:5,x1.2.3.4 (10.0.0.3)"), wanted);
    EXPECT_EQ(all_in("10.0.0.1:10.0.0.2"), (std::vector<std::string>{"10.0.0.1", "10.0.0.2"}));
}

TEST(enrich_addresses, in_fields_may_be_those_of_sockets) {
    const ipv4_address four{0x0a000001};
    const ipv6_address six{u128{0xfe80} << 112 | 1};
    for (const char* const text : {"10.0.0.1", " 10.0.0.1\t", "10.0.0.1:80", "[10.0.0.1]", "::ffff:10.0.0.1",
                                   "[::ffff:10.0.0.1]:65535"}) {
        const auto found = parse_field(text);
        ASSERT_TRUE(found) << text;
        EXPECT_EQ(found->kind, family::ipv4) << text;
        EXPECT_EQ(found->four, four) << text;
        EXPECT_EQ(found->is_mapped(), std::string_view(text).find("ffff") != std::string_view::npos) << text;
    }
    for (const char* const text :
         {"fe80::1", "[fe80::1]", "[fe80::1]:80", "fe80::1%eth0", "[fe80::1%2]:80", " fe80::1"}) {
        const auto found = parse_field(text);
        ASSERT_TRUE(found) << text;
        EXPECT_EQ(*found, (any_address{family::ipv6, {}, six})) << text;
    }
    for (const char* const text :
         {"", "x", "10.0.0.1:", "10.0.0.1:x", "10.0.0.1:123456", "10.0.0.0/8", "[10.0.0.1", "10.0.0.1]",
          "[fe80::1]80", "fe80::1%", "10.0.0.1 10.0.0.2", "10.0.0.1x", "host 10.0.0.1"})
        EXPECT_FALSE(parse_field(text)) << text;
}

} // namespace
} // namespace fingerpost::cli::enrich
