// Parts of how enrich chooses and counts rows: conditions, addresses, and the time that is left.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "cli/answers/address_field.hpp"
#include "cli/answers/condition_text.hpp"
#include "cli/enrich/select/address_counts.hpp"
#include "terminal/table/reading_progress.hpp"

namespace fingerpost::cli::enrich {
namespace {

TEST(enrich_select, conditions_have_a_column_a_sign_and_a_value) {
    const auto read = [](const std::string& text) {
        std::vector<condition_text> into;
        const std::string reason = read_condition(text, into);
        if (!reason.empty())
            return std::string("refused");
        return into[0].column + (into[0].is_equal ? " is " : " is not ") + into[0].value;
    };
    EXPECT_EQ(read("country=DE"), "country is DE");
    EXPECT_EQ(read("country!=DE"), "country is not DE");
    EXPECT_EQ(read("a="), "a is ");
    EXPECT_EQ(read("a!="), "a is not ");
    EXPECT_EQ(read("a=b=c!=d"), "a is b=c!=d");
    EXPECT_EQ(read("a!b=c"), "a!b is c");
    EXPECT_EQ(read("a\\=b=c\\=d"), "a=b is c\\=d");
    EXPECT_EQ(read("a\\!=b"), "a! is b");
    EXPECT_EQ(read("a\\\\=b"), "a\\ is b");
    for (const char* const wrong : {"", "country", "=DE", "!=DE", "a\\=b"})
        EXPECT_EQ(read(wrong), "refused") << wrong;
}

TEST(enrich_select, hosts_are_cut_out_of_sockets) {
    EXPECT_EQ(socket_host("10.0.0.1:80"), "10.0.0.1");
    EXPECT_EQ(socket_host("[2001:db8::1]:443"), "2001:db8::1");
    EXPECT_EQ(socket_host("[::1]"), "::1");
    EXPECT_EQ(socket_host("fe80::1%wg-0.5@x"), "fe80::1");
    for (const char* const text :
         {"10.0.0.1", "::1", "10.0.0.1:", "10.0.0.1:123456", "10.0.0.0/8:80", "x:80", "fe80::1%",
          "fe80::1%a,b", "fe80::1%\"", "fe80::1%a b", "fe80::1%\x1b", " 10.0.0.1:80", ""})
        EXPECT_FALSE(socket_host(text)) << text;
}

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

} // namespace
} // namespace fingerpost::cli::enrich
