// Readers of sets of addresses, of ipset and nftables, and of the statistics of registries.
#include "tests/support/tables/table_readers.hpp"

#include <gtest/gtest.h>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "io/format/ipset/exceptions.hpp"

namespace fingerpost::io {
namespace {

using enum table_format;

TEST(ipset_table, TheValueIsTheSet) {
    EXPECT_EQ(rows(ipset,
                   "create bad hash:net family inet hashsize 1024 maxelem 65536 timeout 0 counters comment\n"
                   "add bad 192.0.2.1 timeout 59 packets 0 bytes 0\n"
                   "add bad 10.0.0.0/8 timeout 0 packets 0 bytes 0 comment \"ten net \\ x\"\n"
                   "create bad6 hash:net family inet6\nadd bad6 2001:db8::/32\n"
                   "create ips hash:ip family inet\nadd ips 10.0.0.1-10.0.0.2\n"
                   "create bm bitmap:ip range 172.16.0.0-172.16.255.255 netmask 24\nadd bm 172.16.4.0\n"
                   "-N old hash:ip -exist\n-A old -exist 172.17.0.1\n"),
              "set|10.0.0.0/8=bad;10.0.0.1/32=ips;10.0.0.2/32=ips;172.16.4.0/24=bm;172.17.0.1/32=old;"
              "192.0.2.1/32=bad;2001:db8::/32=bad6;");
    EXPECT_EQ(rows(ipset, "create a hash:net comment\nadd a 10.0.0.0/8 comment \"x, y\"\n",
                   {.values = {"comment"}}),
              "comment|10.0.0.0/8=x, y;");
}

TEST(ipset_table, ExceptionsAreCutOut) {
    EXPECT_EQ(rows(ipset,
                   "create a hash:net\nadd a 10.0.0.0/8\nadd a 10.64.0.0/10 nomatch\nadd a 10.64.1.0/24\n"
                   "create b hash:net\nadd b 10.0.0.0/7\n"),
              "set|10.0.0.0/7=b;10.0.0.0/10=a;10.64.1.0/24=a;10.128.0.0/9=a;");
    EXPECT_EQ(rows(ipset, "create a hash:net\nadd a 10.0.0.0/8 nomatch\n"), "set|");
    EXPECT_EQ(rows(ipset, "create a hash:ip\nadd a 10.0.0.0 nomatch\n"),
              "t:2: 'add a 10.0.0.0 nomatch': only sets of the type hash:net have exceptions (nomatch)");
}

TEST(ipset_table, WrongLines) {
    EXPECT_EQ(rows(ipset, "create hp hash:ip,port family inet\nadd hp 10.0.0.0,tcp:80\n"),
              "t:2: no set of addresses or networks; left out: the set hp (hash:ip,port)");
    EXPECT_EQ(rows(ipset, "create a list:set size 8\ncreate a hash:net\n"),
              "t:2: 'create a hash:net': the set 'a' is created twice");
    EXPECT_EQ(rows(ipset, "add a 10.0.0.0\n"),
              "t:1: 'add a 10.0.0.0': the set 'a' is not created above this line");
    EXPECT_EQ(rows(ipset, "create a hash:net\nadd a 2001:db8::/32\n").substr(0, 22),
              "t:2: '2001:db8::/32': ");
    EXPECT_EQ(rows(ipset, "create a hash:ip\nadd a 10.0.0.9-10.0.0.1\n"),
              "t:2: '10.0.0.9-10.0.0.1': the range ends before it begins");
    EXPECT_EQ(rows(ipset, "create a hash:net\nadd a 10.1.0.0/8\n", {.policy = host_bits::refuse}),
              "t:2: '10.1.0.0/8': bits past the prefix length are set (the prefix is 10.0.0.0/8)");
    EXPECT_EQ(rows(ipset, "create a hash:net\ndel a 10.0.0.0/8\n"),
              "t:2: 'del a 10.0.0.0/8': not a line of ipset save, which has the commands create and add");
    // Only a set that is still empty may be emptied.
    EXPECT_EQ(rows(ipset, "create a hash:net\nflush a\nadd a 10.0.0.0/8\n"), "set|10.0.0.0/8=a;");
    EXPECT_EQ(rows(ipset, "create a hash:net\nadd a 10.0.0.0/8\nflush a\n"),
              "t:3: 'flush a': not a line of ipset save, which has the commands create and add");
    EXPECT_EQ(rows(ipset, "create a hash:net\nadd a\n").substr(0, 14), "t:2: 'add a': ");
    EXPECT_EQ(rows(ipset, "create a hash:net\nx\nadd a 10.0.0.0/8\n", {.skip_bad = 1}), "set|10.0.0.0/8=a;");
}

TEST(ipset_table, SetsOfOtherTypesAreLeftOut) {
    const std::string_view saved =
        "create bad hash:net family inet\nadd bad 10.0.0.0/8\n"
        "create hp hash:ip,port family inet\nadd hp 11.0.0.0,tcp:80\nadd hp 11.0.0.1,tcp:80\n"
        "create odd hash:ip family inet bitmask 255.0.255.0\nadd odd 10.0.7.0\n"
        "create all list:set size 8\nadd all bad\n";
    std::string told;
    EXPECT_EQ(rows(ipset, saved, {.on_left_out = [&](const std::string& words) { told = words; }}),
              "set|10.0.0.0/8=bad;");
    EXPECT_EQ(told,
              "the set hp (hash:ip,port), the set odd (hash:ip with a bitmask), the set all (list:set)");
    EXPECT_EQ(read_both(ipset, saved)->ipv4.counts.left_out, 4U);
}

// Every address is in the blocks exactly if the longest of the entries around it is no exception.
TEST(ipset_table, ExceptionsOfSmallSets) {
    using A = address<6>;
    std::mt19937 dice(20261125); // NOLINT: the same tables each time
    std::size_t checked = 0;
    for (int round = 0; round < 2000; ++round) {
        std::vector<set_entry<A>> entries;
        for (auto i = dice() % 8; i != 0; --i)
            entries.push_back({prefix<A>::make(A{static_cast<A::value_type>(dice() % 64)},
                                               static_cast<unsigned>(dice() % 7)),
                               dice() % 2 == 0,
                               false,
                               {},
                               0});
        std::vector<std::pair<prefix<A>, prefix<A>>> blocks;
        std::vector<set_entry<A>> kept = entries;
        cut_exceptions<A>(kept, [&](const set_entry<A>& entry, const prefix<A>& block) {
            EXPECT_TRUE(entry.where.covers(block));
            blocks.emplace_back(block, entry.where);
        });
        for (unsigned value = 0; value < 64; ++value) {
            const A at{static_cast<A::value_type>(value)};
            const set_entry<A>* longest = nullptr;
            for (const auto& entry : entries)
                if (entry.where.contains(at) &&
                    (longest == nullptr || longest->where.length <= entry.where.length))
                    longest = &entry;
            const std::pair<prefix<A>, prefix<A>>* found = nullptr;
            for (const auto& block : blocks)
                if (block.first.contains(at) &&
                    (found == nullptr || found->first.length <= block.first.length))
                    found = &block;
            ASSERT_EQ(found != nullptr, longest != nullptr && !longest->is_exception)
                << round << " " << value;
            if (found != nullptr) {
                ASSERT_EQ(found->second, longest->where) << round << " " << value;
            }
            ++checked;
        }
    }
    EXPECT_EQ(checked, 128'000U);
}

constexpr std::string_view ruleset =
    "table inet filter {\n"
    "\tset bad { # handle 3\n"
    "\t\ttype ipv4_addr\n"
    "\t\tflags interval\n"
    "\t\telements = { 10.0.0.0/8, 192.0.2.1-192.0.2.2,\n"
    "\t\t\t     198.51.100.7 }\n"
    "\t}\n"
    "\n"
    "\tset bad6 {\n"
    "\t\ttypeof ip6 saddr\n"
    "\t\telements = { 2001:db8::/32 counter packets 0 bytes 0 comment \"a, b } #\" }\n"
    "\t}\n"
    "\n"
    "\tset ports {\n"
    "\t\ttype inet_service\n"
    "\t\telements = { 80, 443 }\n"
    "\t}\n"
    "\n"
    "\tmap verd {\n"
    "\t\ttype ipv4_addr : verdict\n"
    "\t\tflags interval\n"
    "\t\telements = { 11.0.0.0/8 : jump other,\n"
    "\t\t\t     12.0.0.0/8 comment \"twelve\" : drop, * : accept }\n"
    "\t}\n"
    "\n"
    "\tchain input {\n"
    "\t\ttype filter hook input priority filter; policy accept;\n"
    "\t\tip saddr { 10.7.0.0-10.8.255.255 } accept comment \"set x { type ipv4_addr\"\n"
    "\t}\n"
    "}\n";

TEST(nft_table, SetsAndMapsOfARuleset) {
    EXPECT_EQ(rows(nft, ruleset),
              "value|0.0.0.0/0=accept;10.0.0.0/8=bad;11.0.0.0/8=jump other;12.0.0.0/8=drop;"
              "192.0.2.1/32=bad;192.0.2.2/32=bad;198.51.100.7/32=bad;2001:db8::/32=bad6;");
    EXPECT_EQ(rows(nft, ruleset, {.only = family::ipv6, .values = {"set", "table", "comment"}}),
              "set,table,comment|2001:db8::/32=bad6,inet filter,a, b } #;");
    std::string said;
    (void)rows(nft, ruleset, {.on_left_out = [&](const std::string& words) { said = words; }});
    EXPECT_EQ(said, "the set ports (inet_service)");
    for (const std::size_t chunk : {1U, 5U, 100U})
        EXPECT_EQ(listed_rows(read_both(nft, ruleset, {}, chunk)), rows(nft, ruleset));
    // As a file for nft -f may have it.
    EXPECT_EQ(
        rows(nft,
             "flush ruleset\ntable ip a { set b { type ipv4_addr; flags interval; elements = { 10.0.0.0/8, "
             "11.0.0.0/8, } }\n}\n"),
        "value|10.0.0.0/8=b;11.0.0.0/8=b;");
}

TEST(nft_table, WrongTexts) {
    const auto set = [](std::string_view elements) {
        return std::string("table ip a {\nset b {\ntype ipv4_addr\nelements = { ").append(elements) +
               " }\n}\n}\n";
    };
    EXPECT_EQ(rows(nft, set("10.0.0.0/8, 2001:db8::1")),
              "t:4: '2001:db8::1': not an IPv4 address or prefix, which the type of the set requires");
    EXPECT_EQ(rows(nft, set("10.0.0.0/99")), "t:4: '10.0.0.0/99': prefix length 99 is longer than 32");
    EXPECT_EQ(rows(nft, set("10.0.0.0/8, , 11.0.0.0/8")), "t:4: ',': no element before the comma");
    EXPECT_EQ(rows(nft, set("$x")).substr(0, 9), "t:4: '$x'");
    EXPECT_EQ(rows(nft, set("x, 11.0.0.0/8"), {.skip_bad = 1}), "value|11.0.0.0/8=b;");
    EXPECT_EQ(rows(nft, "table ip a {\nset b {\ntype ipv4_addr\n"),
              "t:3: the text ends within a block; is it cut off?");
    EXPECT_EQ(rows(nft, "table ip a {\nset p {\ntype inet_service\n}\n}\n"),
              "t:5: no set or map of addresses; left out: the set p (inet_service)");
    std::string endless = "10.0.0.0/8 x";
    for (int i = 0; i < 100; ++i)
        endless += " x\n";
    EXPECT_EQ(rows(nft, set(endless)),
              "t:102: '10.0.0.0/8': an element of more than 100 words; is a comma missing?");
    EXPECT_EQ(rows(nft, "table ip a {\n}\n}\n"), "t:3: '}': unexpected closing brace");
    EXPECT_EQ(rows(nft, "add element ip a b { 10.0.0.1 }\n"),
              "t:1: 'add element ip a b { 10.0.0.1 }': elements that a command adds are not read; read the "
              "output of "
              "nft list set");
}

constexpr std::string_view statistics = "2|ripencc|20231114|4|19830705|20231113|+0100\n"
                                        "ripencc|*|ipv4|*|2|summary\n"
                                        "ripencc|FR|asn|7|1|19930901|allocated|a\n"
                                        "ripencc|NL|ipv4|193.0.0.0|2048|19930901|allocated|a2f9\n"
                                        "ripencc|DE|ipv4|193.0.8.0|768|19930901|assigned\n"
                                        "ripencc||ipv4|193.0.12.0|256||available|\n"
                                        "ripencc|NL|ipv6|2001:610::|32|19990819|allocated|a2f9|e-stats\n";

TEST(delegated_table, CountsOfAddressesBecomePrefixes) {
    EXPECT_EQ(rows(delegated, statistics),
              "country,registry,status,date,opaque_id|193.0.0.0/21=NL,ripencc,allocated,19930901,a2f9;"
              "193.0.8.0/23=DE,ripencc,assigned,19930901,;193.0.10.0/24=DE,ripencc,assigned,19930901,;"
              "193.0.12.0/24=,ripencc,available,,;2001:610::/32=NL,ripencc,allocated,19990819,a2f9;");
    EXPECT_EQ(rows(delegated, statistics, {.only = family::ipv6, .values = {"country"}}),
              "country|2001:610::/32=NL;");
    EXPECT_EQ(
        rows(delegated, "arin|US|ipv4|0.0.0.0|4294967296|19930901|allocated\n", {.values = {"country"}}),
        "country|0.0.0.0/0=US;");
}

TEST(delegated_table, WrongLines) {
    const std::string no_record =
        "not a record, which is registry|country|asn, ipv4 or ipv6|start|value|date|status";
    EXPECT_EQ(rows(delegated, "arin|US|ipv4|10.0.0.0\n"), "t:1: 'arin|US|ipv4|10.0.0.0': " + no_record);
    EXPECT_EQ(rows(delegated, "arin|US|ipv5|10.0.0.0|1|19930901|allocated\n"),
              "t:1: 'arin|US|ipv5|10.0.0.0|1|19930901|allocated': " + no_record);
    for (const std::string_view count : {"0", "x", "-1", "99999999999999999999"})
        EXPECT_NE(
            rows(delegated, std::string("arin|US|ipv4|10.0.0.0|").append(count) + "|19930901|allocated\n")
                .find("the address count must be positive"),
            std::string::npos);
    EXPECT_EQ(rows(delegated, "arin|US|ipv4|255.255.255.0|257|19930901|allocated\n"),
              "t:1: 'arin|US|ipv4|255.255.255.0|257|19930901|allocated': the range exceeds 255.255.255.255");
    EXPECT_EQ(rows(delegated, "arin|US|ipv6|10.0.0.0|8|19930901|allocated\n"),
              "t:1: 'arin|US|ipv6|10.0.0.0|8|19930901|allocated': the record has type ipv6, but its start is "
              "not an IPv6 address");
    EXPECT_EQ(rows(delegated, "arin|US|ipv6|2001::|129|19930901|allocated\n"),
              "t:1: '2001::/129': prefix length 129 is longer than 128");
}

} // namespace
} // namespace fingerpost::io
