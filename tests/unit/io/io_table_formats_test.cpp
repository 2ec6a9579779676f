// Readers of every text format: how they read realistic samples, what they refuse and where, and that neither
// the size of chunks nor a byte order mark changes anything.
#include "tests/support/tables/table_readers.hpp"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

namespace fingerpost::io {
namespace {

using enum table_format;

TEST(table_dialects, SeparatorsHeadersAndQuotes) {
    EXPECT_EQ(rows(text, "prefix next_hop\n10.0.0.0/8 a\n"), "next_hop|10.0.0.0/8=a;");
    EXPECT_EQ(rows(text, "# x\nNetwork, gateway\n10.0.0.0/8, a\n"), "gateway|10.0.0.0/8=a;");
    EXPECT_EQ(rows(text, "10.0.0.0/8 | peer one | \n11.0.0.0/8;b\n12.0.0.0/8; c d # why\n13.0.0.0/8\te\n"),
              "next_hop|10.0.0.0/8=peer one;11.0.0.0/8=b;12.0.0.0/8=c d;13.0.0.0/8=e;");
    EXPECT_EQ(rows(text, "\"10.0.0.0/8\",\"a \"\"b\"\", c\"\n11.0.0.0/8 \"x y\"\n"),
              "next_hop|10.0.0.0/8=a \"b\", c;11.0.0.0/8=x y;");
    EXPECT_EQ(rows(text, "\xef\xbb\xbf"
                         "10.0.0.0/8 a\r\n"),
              "next_hop|10.0.0.0/8=a;");
    EXPECT_EQ(rows(text, "10.0.0.0/8;a;b\n"), "t:1: '10.0.0.0/8;a;b': more than a prefix and a next hop");
    EXPECT_EQ(rows(text, "10.0.0.0/8 \"a\n"), "t:1: '10.0.0.0/8 \"a': a quote is not closed");
    EXPECT_EQ(rows(text, "10.0.0.0/8 a\nprefix b\n"), "t:2: 'prefix': unexpected 'p' at column 1");
    EXPECT_EQ(rows(text, std::string_view("10.0.0.0/8 a\0\n", 14)),
              "t:1: '10.0.0.0/8 a\\x00': control character in the next hop");
    // A text that is a next hop today stays one.
    EXPECT_EQ(rows(text, "10.0.0.0/8 a;b\n11.0.0.0/8 c|d\n"), "next_hop|10.0.0.0/8=a;b;11.0.0.0/8=c|d;");
}

TEST(table_dialects, ListsOfPrefixes) {
    EXPECT_EQ(rows(text, "; Spamhaus DROP\n1.10.16.0/20 ; SBL256894\n;\n10.0.0.1\n"),
              "next_hop|1.10.16.0/20=SBL256894;10.0.0.1/32=;");
    EXPECT_EQ(rows(text,
                   "# firehol\n10.0.0.0-10.0.0.2\n10.0.1.0 - 10.0.1.1\n10.0.2.0 - 10.0.2.1 a\n2001:db8:: - "
                   "2001:db8::1,b\n"),
              "next_hop|10.0.0.0/31=;10.0.0.2/32=;10.0.1.0/31=;10.0.2.0/31=a;2001:db8::/127=b;");
    EXPECT_EQ(rows(text, "10.0.0.1 - 10.0.0.0\n"),
              "t:1: '10.0.0.1-10.0.0.0': the range ends before it begins");
    EXPECT_EQ(rows(text, "10.0.0.1 -\n"), "next_hop|10.0.0.1/32=-;");
}

TEST(table_dialects, DottedMasks) {
    EXPECT_EQ(rows(text, "10.0.0.0/255.0.0.0 a\n11.0.0.0 255.0.0.0 b\n12.0.0.0,255.255.0.0,c\n"
                         "13.0.0.1 255.255.255.255\n0.0.0.0 0.0.0.0 d\n"),
              "next_hop|0.0.0.0/0=d;10.0.0.0/8=a;11.0.0.0/8=b;12.0.0.0/16=c;13.0.0.1/32=;");
    EXPECT_EQ(rows(text, "10.0.0.1 0.0.0.0\n10.0.0.2 192.0.2.1\n"),
              "next_hop|10.0.0.1/32=0.0.0.0;10.0.0.2/32=192.0.2.1;");
    EXPECT_EQ(rows(text, "10.0.0.0/255.0.255.0 a\n"), "t:1: '10.0.0.0/255.0.255.0': not a netmask");
    const auto masked = read_both(text, "10.1.0.0 255.0.0.0 a\n");
    ASSERT_TRUE(masked);
    EXPECT_EQ(masked->ipv4.counts.masked, 1U);
    EXPECT_EQ(rows(text, "10.1.0.0/255.0.0.0 a\n", {.policy = host_bits::refuse}),
              "t:1: '10.1.0.0/8': bits past the prefix length are set (the prefix is 10.0.0.0/8)");
}

TEST(table_dialects, ADefaultRouteIsOfTheFamilyAroundIt) {
    EXPECT_EQ(rows(text, "default a\n10.0.0.0/8 b\n"), "next_hop|0.0.0.0/0=a;10.0.0.0/8=b;");
    EXPECT_EQ(rows(text, "default a\n2001:db8::/32 b\n"), "next_hop|::/0=a;2001:db8::/32=b;");
    EXPECT_EQ(rows(text, "2001:db8::/32 b\ndefault a\n10.0.0.0/8 c\ndefault d"),
              "next_hop|0.0.0.0/0=d;10.0.0.0/8=c;::/0=a;2001:db8::/32=b;");
    EXPECT_EQ(rows(text, "default a\n"), "next_hop|0.0.0.0/0=a;");
    EXPECT_EQ(rows(text, "default a\n", {.only = family::ipv6}), "next_hop|::/0=a;");
    any_reader one(text, "t", {});
    ASSERT_TRUE(one.feed("default a\n2001:db8::/32 b\n"));
    const auto table = std::move(one).finish();
    ASSERT_TRUE(table);
    EXPECT_EQ(listed_rows(std::get<loaded_table<ipv6_address>>(*table)), "::/0=a;2001:db8::/32=b;");
}

TEST(table_dialects, BadLinesAreSkippedUpToTheirNumber) {
    const std::string_view wrong = "10.0.0.0/8 a\nx\n11.0.0.0/99 b\n12.0.0.0/8 c d e\n13.0.0.0/8 f\n";
    std::vector<std::string> told;
    table_options options{.skip_bad = 3,
                          .on_skip = [&](const input_error& e) { told.push_back(message(e)); }};
    const auto tables = read_both(text, wrong, options);
    EXPECT_EQ(listed_rows(tables), "next_hop|10.0.0.0/8=a;13.0.0.0/8=f;");
    EXPECT_EQ(tables->ipv4.counts.bad, 3U);
    EXPECT_EQ(told, (std::vector<std::string>{"t:2: 'x': unexpected 'x' at column 1",
                                              "t:3: '11.0.0.0/99': prefix length 99 is longer than 32",
                                              "t:4: '12.0.0.0/8 c d e': more than a prefix and a next hop"}));
    options.skip_bad = 2;
    EXPECT_EQ(rows(text, wrong, options), "t:4: '12.0.0.0/8 c d e': more than a prefix and a next hop");
    // A line that is too long counts as one, in whatever pieces it comes.
    const std::string lengthy = "10.0.0.0/8 a\n" + std::string(200'000, 'x') + "\n11.0.0.0/8 b\n";
    for (const std::size_t chunk : {std::size_t{1000}, lengthy.size()})
        EXPECT_EQ(listed_rows(read_both(text, lengthy, {.skip_bad = 1}, chunk)),
                  "next_hop|10.0.0.0/8=a;11.0.0.0/8=b;");
}

TEST(csv_table, ColumnsAreValues) {
    EXPECT_EQ(rows(csv, "network,asn,name\n10.0.0.0/8,64500,\"A, Inc.\"\n2001:db8::/32,64501,\"B \"\"x\"\"\n"
                        "y\"\n"),
              "asn,name|10.0.0.0/8=64500,A, Inc.;2001:db8::/32=64501,B \"x\"\ny;");
    EXPECT_EQ(rows(csv, "asn;CIDR;name\r\n64500;10.0.0.0/8;a,b\r\n"), "asn,name|10.0.0.0/8=64500,a,b;");
    EXPECT_EQ(rows(tsv, "prefix\tname\n10.0.0.0/8\t5\" pipe, long\n"), "name|10.0.0.0/8=5\" pipe, long;");
    EXPECT_EQ(rows(csv, "\xef\xbb\xbfnetwork,a,a,\n10.0.0.0/8,1,2,3\n"), "a,a_2,column4|10.0.0.0/8=1,2,3;");
    EXPECT_EQ(rows(csv, "network\n10.0.0.0/8\n"), "next_hop|10.0.0.0/8=;");
    EXPECT_EQ(rows(csv, ""), "next_hop|");
    EXPECT_EQ(rows(csv, "# made by hand\n\nnetwork,a\n# more\n10.0.0.0/8,1\n\n"), "a|10.0.0.0/8=1;");
    EXPECT_EQ(rows(csv, "network,a\n10.0.0.0/8,1\n10.0.0.0/8,2\n"), "a|10.0.0.0/8=2;");
}

TEST(csv_table, ColumnsAreChosen) {
    const std::string_view table = "id,Range Name,net block,asn\n1,x,10.0.0.0/8,64500\n";
    EXPECT_EQ(rows(csv, table),
              "t:1: 'id,Range Name,net block,asn': no column has a name such as network, prefix, cidr "
              "subnet or the like, and no two start_ip names such as start_ip and end_ip (name one in "
              "table_options::network)");
    EXPECT_EQ(rows(csv, table, {.network = {"Net_Block"}}), "id,Range Name,asn|10.0.0.0/8=1,x,64500;");
    EXPECT_EQ(rows(csv, table, {.network = {"net block"}, .values = {"asn", "id"}}),
              "asn,id|10.0.0.0/8=64500,1;");
    EXPECT_EQ(rows(csv, table, {.network = {"nets"}}),
              "t:1: no column 'nets'; columns: id, Range Name, net block, asn");
    EXPECT_EQ(rows(csv, table, {.network = {"net block"}, .values = {"country"}}),
              "t:1: no column 'country'; columns: id, Range Name, net block, asn");
    EXPECT_EQ(rows(csv, table, {.network = {"id", "asn", "net block"}}),
              "t:1: expected one column of networks or two columns of ranges, found 3 are named");
    EXPECT_EQ(rows(text, "10.0.0.0/8 a\n", {.values = {"asn"}}),
              "t:1: no column 'asn'; columns: prefix, next_hop");
    EXPECT_EQ(rows(text, "prefix asn\n10.0.0.0/8 a\n", {.values = {"asn"}}), "asn|10.0.0.0/8=a;");
}

TEST(csv_table, RangesBecomePrefixes) {
    EXPECT_EQ(rows(csv, "start_ip,end_ip,country\n1.0.0.0,1.0.0.255,AU\n1.0.1.0,1.0.3.255,CN\n"
                        "2001:db8::,2001:db8:2:ffff:ffff:ffff:ffff:ffff,CH\n"),
              "country|1.0.0.0/24=AU;1.0.1.0/24=CN;1.0.2.0/23=CN;2001:db8::/47=CH;2001:db8:2::/48=CH;");
    // As IP2Location and ip-to-asn dumps have them: without a header.
    EXPECT_EQ(rows(csv, "\"16777216\",\"16777471\",\"AU\"\n\"0\",\"4294967295\",\"-\"\n"),
              "column3|0.0.0.0/0=-;1.0.0.0/24=AU;");
    EXPECT_EQ(rows(tsv, "1.0.0.0\t1.0.0.255\t13335\tUS\tCLOUDFLARENET\n"),
              "column3,column4,column5|1.0.0.0/24=13335,US,CLOUDFLARENET;");
    EXPECT_EQ(rows(csv, "0,281470681743359,-\n281470681743360,281470698520575,-\n"
                        "42540766411282592856903984951653826560,42540766490510755371168322545197776895,x\n")
                  .substr(0, 13),
              "column3|::/81");
    EXPECT_EQ(rows(csv, "network,a\n10.0.0.1-10.0.0.4,x\n"), "a|10.0.0.1/32=x;10.0.0.2/31=x;10.0.0.4/32=x;");
    EXPECT_EQ(rows(csv, "first,last\n::,ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff\n"), "next_hop|::/0=;");
    EXPECT_EQ(rows(csv, "first,last\n10.0.0.9,10.0.0.1\n"),
              "t:2: '10.0.0.9-10.0.0.1': the range ends before it begins");
    EXPECT_EQ(rows(csv, "first,last\n10.0.0.9,::1\n"), "t:2: '::1': not an IPv4 address");
    EXPECT_EQ(
        rows(csv, "first,last\n0,340282366920938463463374607431768211456\n"),
        "t:2: '0-340282366920938463463374607431768211456': the number of an address must have at most 128 bits");
}

// Logs of Zeek, of CloudFront and of web servers name their columns in a comment.
TEST(csv_table, NamesInAComment) {
    EXPECT_EQ(
        rows_in_chunks(
            csv, "#separator \\x09\n#fields\tindicator\tsubnet\tmeta.source\n#types\tstring\tsubnet\tstring\n"
                 "x\t10.0.0.0/8\tfeed a\n-\t11.0.0.0/8\t(empty)\n#close\t2024\n"),
        "indicator,meta.source|10.0.0.0/8=x,feed a;11.0.0.0/8=-,(empty);");
    EXPECT_EQ(rows_in_chunks(csv,
                             "#Version: 1.0\n#Fields: date c-net cs-method\n2024-01-01\t10.0.0.0/8\tGET\n",
                             {.network = {"c-net"}}),
              "date,cs-method|10.0.0.0/8=2024-01-01,GET;");
    EXPECT_EQ(rows(csv, "#Fields: date net\r\n2024-01-01 10.0.0.0/8\r\n#Fields: date net\r\n"),
              "date|10.0.0.0/8=2024-01-01;");
    // A comment like any other.
    EXPECT_EQ(rows(csv, "#Fields: a b\nnetwork,c\n10.0.0.0/8,1\n"), "c|10.0.0.0/8=1;");
}

TEST(csv_table, ColumnsBetweenBlanks) {
    EXPECT_EQ(
        rows_in_chunks(csv, "Destination   Gateway  Genmask Iface\n10.0.0.0  192.0.2.1\t 255.0.0.0 eth0\n"),
        "Gateway,Iface|10.0.0.0/8=192.0.2.1,eth0;");
    EXPECT_EQ(rows(csv, " prefix name \"free text\" \n10.0.0.0/8 a \"b c\"\n11.0.0.0/8 d\n"),
              "t:3: '11.0.0.0/8 d': 2 fields, but the first row has 3");
    EXPECT_EQ(rows(csv, "10.0.0.0 8 lab\n11.0.0.0 8 x\n"), "column3|10.0.0.0/8=lab;11.0.0.0/8=x;");
}

TEST(csv_table, PrefixesInAnotherColumnWithoutAHeader) {
    EXPECT_EQ(rows(csv, "lab,10.0.0.0/8\nA Inc,11.0.0.0/8\n"), "column1|10.0.0.0/8=lab;11.0.0.0/8=A Inc;");
    EXPECT_EQ(rows(csv, "lab,10.0.0.0,255.0.0.0\n"), "column1|10.0.0.0/8=lab;");
    EXPECT_EQ(rows(csv, "lab,10.0.0.1\nx,10.0.0.2\n", {.network = {"column2"}}),
              "column1|10.0.0.1/32=lab;10.0.0.2/32=x;");
    EXPECT_EQ(rows(csv, "lab,10.0.0.0,255.0.0.0\n", {.network = {"column2"}}), "column1|10.0.0.0/8=lab;");
    EXPECT_EQ(rows(csv, "lab,10.0.0.0,8\n", {.network = {"column2", "column3"}}), "column1|10.0.0.0/8=lab;");
    EXPECT_EQ(rows(csv, "lab,10.0.0.0,10.0.0.1\n", {.network = {"column2", "column3"}}),
              "column1|10.0.0.0/31=lab;");
    EXPECT_EQ(rows(csv, "lab,x\n", {.network = {"column2"}}), "t:1: no column 'column2'; columns: lab, x");
    // A header.
    EXPECT_EQ(rows(csv, "prefix,10.0.0.0/8\n11.0.0.0/8,a\n"), "10.0.0.0/8|11.0.0.0/8=a;");
}

TEST(csv_table, FieldsThatAreMissing) {
    EXPECT_EQ(rows(csv, "192.0.2.0/24,US,US-CA,Los Angeles,\n2001:db8::/32,CH\n198.51.100.0/24\n"),
              "column2,column3,column4,column5|192.0.2.0/24=US,US-CA,Los Angeles,;198.51.100.0/24=,,,;"
              "2001:db8::/32=CH,,,;");
    EXPECT_EQ(rows(csv, "192.0.2.0/24,US,a\n198.51.100.0/24,US,a,b\n"),
              "t:2: '198.51.100.0/24,US,a,b': 4 fields, but the first row has 3");
}

// Every range of a space of six bits, at its start, its end and in the middle: exactly its addresses.
TEST(csv_table, EveryRangeIsCoveredExactly) {
    std::size_t ranges = 0;
    for (const std::uint32_t base : {0U, 0x0a00'0020U, 0xffff'ffc0U})
        for (std::uint32_t first = 0; first < 64; ++first)
            for (std::uint32_t last = first; last < 64; ++last) {
                const std::string text = "first,last\n" + to_string(ipv4_address{base + first}) + "," +
                                         to_string(ipv4_address{base + last}) + "\n";
                const auto tables = read_both(csv, text);
                ASSERT_TRUE(tables) << text;
                std::uint64_t next = base + first;
                for (const auto& r : tables->ipv4.routes) {
                    ASSERT_EQ(r.where.base.value, next) << text;
                    next = std::uint64_t{r.where.last().value} + 1;
                }
                ASSERT_EQ(next, std::uint64_t{base} + last + 1) << text;
                ++ranges;
            }
    EXPECT_EQ(ranges, 3U * 64 * 65 / 2);
}

TEST(csv_table, WrongRowsAreToldWithTheirLine) {
    EXPECT_EQ(rows(csv, "network,a\n10.0.0.0/8\n"), "t:2: '10.0.0.0/8': 1 field, but the first row has 2");
    EXPECT_EQ(rows(csv, "network,a\n,1\n"), "t:2: ',1': no network");
    EXPECT_EQ(rows(csv, "network,a\n\"10.0.0.0/8\"x,1\n"),
              "t:2: '\"10.0.0.0/8\"x,1': text after a closing quote");
    // Placed by the line in which the row begins.
    EXPECT_EQ(rows(csv, "network,a\n10.0.0.0/8,\"x\ny\n\"\n10.0.0/8,\"x\n\"\n"),
              "t:5: '10.0.0/8': an IPv4 prefix has four octets; write 10.0.0.0/8");
    EXPECT_EQ(rows(csv, "network,a\n10.0.0.0/8,\"x\n\n"), "t:2: '10.0.0.0/8,\"x': a quote is not closed");
    EXPECT_EQ(rows(csv, "network,a\n10.0.0.0/8,\"x\n\n", {.skip_bad = 1}), "a|");
    EXPECT_EQ(rows(csv, "network,a\n10.0.0.0/8,1\n", {.values = {"a", "A"}}),
              "t:1: the column 'A' is named twice");
    EXPECT_EQ(rows(csv, std::string_view("network,a\n10.0.0.0/8,\0\n", 23)),
              "t:2: '10.0.0.0/8,\\x00': there is a NUL byte in the row");
    EXPECT_EQ(rows(csv, "network,a\nx,1\n10.0.0.0/8,1\n", {.skip_bad = 1}), "a|10.0.0.0/8=1;");
    std::string open = "network,a\n10.0.0.0/8,\"";
    for (int i = 0; i < 3000; ++i)
        open += std::string(999, 'x') + "\n";
    EXPECT_EQ(rows(csv, open).substr(0, 30), "t:2: '10.0.0.0/8,\"" + std::string(12, 'x'));
}

// A quote without an end takes no row but its own away.
TEST(csv_table, LinesBehindAnOpenQuoteAreRows) {
    const std::string good = "11.0.0.0/8,1\n12.0.0.0/8,\"2\"\n";
    const std::string read = "a|11.0.0.0/8=1;12.0.0.0/8=2;";
    EXPECT_EQ(rows(csv, "network,a\n10.0.0.0/8,\"x\n11.0.0.0/8,1\n", {.skip_bad = 1}), "a|11.0.0.0/8=1;");
    EXPECT_EQ(rows(csv, "network,a\n10.0.0.0/8,\"x\n" + good, {.skip_bad = 1}), read);
    EXPECT_EQ(rows(csv, "network,a\n10.0.0.0/8,\"x\n" + good),
              "t:2: '10.0.0.0/8,\"x': a quote is not closed on its line");
    EXPECT_EQ(rows(csv, "network,a\n" + good + "10.0.0.0/8,\"x\n13.0.0.0/8,\"x\n", {.skip_bad = 1}),
              "t:5: '13.0.0.0/8,\"x': a quote is not closed");
    // A row that goes on behind a row like this.
    EXPECT_EQ(rows(csv, "network,a\n10.0.0.0/8,\"x\n11.0.0.0/8,\"1\n2\"\n", {.skip_bad = 1}),
              "a|11.0.0.0/8=1\n2;");
    std::string many = "network,a\n10.0.0.0/8,\"x\n" + good;
    many.append(std::size_t{1} << 20, '\n');
    EXPECT_EQ(rows(csv, many + "13.0.0.0/8,3\n", {.skip_bad = 1}),
              "a|11.0.0.0/8=1;12.0.0.0/8=2;13.0.0.0/8=3;");
}

// A file whose lines end in a carriage return alone is one line.
TEST(table_dialects, CarriageReturnsAlone) {
    const std::string reason = ": a carriage return within the line; lines end in a line feed";
    const auto told = [&](const std::string& line) { return "t:1: '" + line + "'" + reason; };
    EXPECT_EQ(rows(text, "# x\r10.0.0.0/8 a\r"), told("# x\\x0d10.0.0.0/8 a"));
    EXPECT_EQ(rows(text, "10.0.0.0/8 a # x\r11.0.0.0/8 b"), told("10.0.0.0/8 a # x\\x0d11.0.0.0/8 b"));
    EXPECT_EQ(rows(text, "prefix a\r11.0.0.0/8 b"), told("prefix a\\x0d11.0.0.0/8 b"));
    EXPECT_EQ(rows(csv, "network,a\r10.0.0.0/8,1"), told("network,a\\x0d10.0.0.0/8,1"));
    EXPECT_EQ(rows(csv, "# x\rnetwork,a\r10.0.0.0/8,1"), told("# x\\x0dnetwork,a\\x0d10.0.0.0/8,1"));
    EXPECT_EQ(rows(csv, "10.0.0.0/8\r11.0.0.0/8,1"), told("10.0.0.0/8\\x0d11.0.0.0/8,1"));
    EXPECT_EQ(rows(table_format::ip_route, "10.0.0.0/8 via 10.0.0.1\r11.0.0.0/8 via 10.0.0.1"),
              told("10.0.0.0/8 via 10.0.0.1\\x0d11.0.0.0/8 via 10.0.0.1"));
    EXPECT_EQ(rows(table_format::bgpdump, "# x\rTABLE_DUMP2"), told("# x\\x0dTABLE_DUMP2"));
    // In quotes it is a character like any other.
    EXPECT_EQ(rows(csv, "network,\"a\rb\"\n10.0.0.0/8,\"1\r2\"\r\n"), "a\rb|10.0.0.0/8=1\r2;");
}

// Tabs that align text make no empty values.
TEST(table_dialects, TabsThatAlign) {
    const auto kind = [](std::string_view start) { return detect_format(start, true, {}).format; };
    EXPECT_EQ(kind("10.0.0.0/8\t\ta\n"), table_format::text);
    EXPECT_EQ(kind("prefix\t\t\tnext_hop\n10.0.0.0/8\t\ta\n"), table_format::text);
    EXPECT_EQ(kind("10.0.0.0/8\ta\t\n"), table_format::text);
    EXPECT_EQ(kind("10.0.0.0/8\t\ta\tb\n"), table_format::tsv);
    EXPECT_EQ(kind("prefix\tasn\tname\n10.0.0.0/8\t\ta\n"), table_format::tsv);
    EXPECT_EQ(rows(text, "prefix\t\tnext_hop\n10.0.0.0/8\t\ta\n11.0.0.0/8\tb\n"),
              "next_hop|10.0.0.0/8=a;11.0.0.0/8=b;");
}

TEST(json_table, ObjectsInLinesAndInArrays) {
    EXPECT_EQ(rows(json, R"({"network":"10.0.0.0/8","asn":64500,"name":"A, \u00e9"}
{"network":"2001:db8::/32","asn":null,"size":1.50,"deep":{"a":[1,2]},"is":true}
)"),
              "asn,name,size,is|10.0.0.0/8=64500,A, \u00e9,,;2001:db8::/32=,,1.50,true;");
    EXPECT_EQ(rows(json, "[ {\"cidr\":\"10.0.0.0/8\"},\n {\"cidr\":\"11.0.0.0/8\",\"a\":1} ]\n"),
              "next_hop,a|10.0.0.0/8=,;11.0.0.0/8=,1;");
    EXPECT_EQ(
        rows(json, "{\n \"prefix\": \"10.0.0.0/8\",\n \"a\": \"}{\"\n}\n{\n \"prefix\": \"11.0.0.0/8\"}"),
        "a|10.0.0.0/8=}{;11.0.0.0/8=;");
    EXPECT_EQ(rows(json, R"({"start_ip":"10.0.0.0","end_ip":"10.0.1.255","country":"CH"})"),
              "country|10.0.0.0/23=CH;");
    EXPECT_EQ(rows(json, ""), "next_hop|");
    EXPECT_EQ(rows(json, "[]"), "next_hop|");
    EXPECT_EQ(rows(json, R"({"dst":"default","a":1}{"dst":"2001:db8::/32","b":2})"),
              "a,b|::/0=1,;2001:db8::/32=,2;");
    EXPECT_EQ(rows(json, R"({"network":"10.0.0.0/8","a":1,"b":2})", {.values = {"b"}}), "b|10.0.0.0/8=2;");
    EXPECT_EQ(rows(json, R"({"x":"10.0.0.0/8","a":1})", {.network = {"x"}, .values = {"b"}}),
              "t: 'b': no object has this member");
}

TEST(json_table, TextsOfAnArray) {
    EXPECT_EQ(rows_in_chunks(json, "[\"10.0.0.0/8\", \"2001:db8::\\/32\",\n\"10.0.0.1-10.0.0.2\"]\n"),
              "next_hop|10.0.0.0/8=;10.0.0.1/32=;10.0.0.2/32=;2001:db8::/32=;");
    EXPECT_EQ(rows(json, "[\"10.0.0.0/8\",\n\"x\"]"), "t:2: 'x': unexpected 'x' at column 1");
    EXPECT_EQ(rows(json, "[\"10.0.0.0/8\" \"x\"]").substr(0, 5), "t:1: ");
    EXPECT_EQ(rows(json, "[\"10.0.0.0/8"), "t:1: '\"10.0.0.0/8': the text does not end");
    EXPECT_EQ(rows(json, "[\"10.0.0\n0/8\",\n\"11.0.0.0/8\"]", {.skip_bad = 2}), "next_hop|11.0.0.0/8=;");
    EXPECT_EQ(rows(json, "\"10.0.0.0/8\"").substr(0, 4), "t:1:");
    EXPECT_EQ(rows(table_format::ip_route_json, "[\"10.0.0.0/8\"]").substr(0, 4), "t:1:");
}

TEST(json_table, ARecordAboutTheOthersIsNoRoute) {
    const std::string routes =
        "{\"network\":\"10.0.0.0/8\",\"asn\":1}\n{\"network\":\"11.0.0.0/8\",\"name\":\"a\"}\n";
    const auto tables = read_both(json, routes + "{\"total\":2,\"version\":\"1\"}\n{}\n");
    EXPECT_EQ(listed_rows(tables), "asn,name|10.0.0.0/8=1,;11.0.0.0/8=,a;");
    EXPECT_EQ(tables->ipv4.counts.without_network, 2U);
    EXPECT_EQ(tables->ipv4.counts.bad, 0U);
    EXPECT_EQ(rows_in_chunks(json, routes + "{\"total\":2}"), rows(json, routes));
    // A route without its network is wrong.
    EXPECT_EQ(rows(json, routes + "{\"name\":\"b\"}"),
              "t:3: '{\"name\":\"b\"}': no member has a name such as network, prefix or cidr (name one in "
              "table_options::network)");
    EXPECT_EQ(rows(json, "{\"total\":2}\n" + routes).substr(0, 4), "t:1:");
    EXPECT_EQ(rows(json, routes + "{\"asn\":2}", {.values = {"name"}}).substr(0, 4), "t:3:");
}

TEST(json_table, WrongObjectsAreToldAndTheNextLineIsRead) {
    const std::string_view cut =
        "{\"network\":\"10.0.0.0/8\"}\n{\"network\":\"11.0.0.0\n{\"network\":\"12.0.0.0/8\",\n"
        "{\"network\":\"13.0.0.0/8\"}\nhello\n{\"network\":\"14.0.0.0/8\"}\n";
    EXPECT_EQ(rows(json, cut), "t:2: '{\"network\":\"11.0.0.0': the object does not end on this line");
    EXPECT_EQ(rows(json, cut, {.skip_bad = 3}), "next_hop|10.0.0.0/8=;13.0.0.0/8=;14.0.0.0/8=;");
    EXPECT_EQ(rows(json, cut, {.skip_bad = 2}),
              "t:5: 'hello': expected an object, or a comma or bracket between objects");
    EXPECT_EQ(rows(json, "{\"a\":1}"),
              "t:1: '{\"a\":1}': no member has a name such as network, prefix or cidr "
              "(name one in table_options::network)");
    EXPECT_EQ(rows(json, "{\"network\":\"10.0.0.0/99\"}"),
              "t:1: '10.0.0.0/99': prefix length 99 is longer than 32");
    EXPECT_EQ(rows(json, "[{\"network\":\"10.0.0.0/8\"}"), "t:1: the array does not end");
    EXPECT_EQ(rows(json, "\n{\"network\":\"10.0.0.0/8\""),
              "t:2: '{\"network\":\"10.0.0.0/8\"': the object does not end");
    EXPECT_EQ(rows(json, "{\"network\":\"10.0.0.0/8\" x}").substr(0, 50),
              "t:1: '{\"network\":\"10.0.0.0/8\" x}': not valid JSON: syntax");
    std::string wide = "{\"network\":\"10.0.0.0/8\"";
    for (int i = 0; i < 300; ++i)
        wide += ",\"m" + std::to_string(i) + "\":1";
    EXPECT_NE(rows(json, wide + "}").find("more than 256 different members"), std::string::npos);
    EXPECT_NE(rows(json, "{\"network\":\"" + std::string(2 << 20, 'x') + "\"}").find("more than 1 MiB"),
              std::string::npos);
}

constexpr std::string_view dump =
    "TABLE_DUMP2|1486802400|B|192.0.2.2|65000|10.0.0.0/8|65000 64512 64513|IGP|192.0.2.9|100|10||NAG||\n"
    "TABLE_DUMP2|1486802400|B|192.0.2.3|65001|10.0.0.0/8|65001 {1,2}|IGP|192.0.2.3|100|0||NAG||\n"
    "TABLE_DUMP2|1486802400|B|192.0.2.1|65002|10.0.0.0/8|65002 64513|INCOMPLETE|192.0.2.1|100|0||NAG||\n"
    "TABLE_DUMP2_AP|1486802400|B|2001:db8::1|65000|2001:db8::/32|1|65000 64512|IGP|2001:db8::9|0|0||NAG||\n";

TEST(bgpdump_table, TheBestRouteOfAPrefixCounts) {
    EXPECT_EQ(rows(bgpdump, dump),
              "next_hop,origin_as,peer,peer_as|10.0.0.0/8=192.0.2.3,{1,2},192.0.2.3,65001;"
              "2001:db8::/32=2001:db8::9,64512,2001:db8::1,65000;");
    EXPECT_EQ(rows(bgpdump, dump, {.only = family::ipv6, .values = {"path"}}),
              "path|2001:db8::/32=65000 64512;");
    const auto tables = read_both(bgpdump, dump);
    EXPECT_EQ(tables->ipv4.counts.not_best, 2U);
    // The order of the lines makes no difference.
    std::vector<std::string> lines;
    for (std::string_view rest = dump; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1))
        lines.emplace_back(rest.substr(0, rest.find('\n') + 1));
    std::sort(lines.begin(), lines.end());
    do {
        std::string text;
        for (const std::string& line : lines)
            text += line;
        ASSERT_EQ(rows(bgpdump, text), rows(bgpdump, dump));
    } while (std::next_permutation(lines.begin(), lines.end()));
    // Each criterion by itself: the difference is at the end of the line that is to win.
    const auto winner = [](std::string_view a, std::string_view b) {
        const auto line = [](std::string_view peer, std::string_view rest) {
            return "TABLE_DUMP2|1|B|" + std::string(peer) + "|1|10.0.0.0/8|" + std::string(rest) +
                   "||NAG||\n";
        };
        return rows(bgpdump, line("192.0.2.9", a) + line("192.0.2.10", b), {.values = {"peer"}});
    };
    const std::string first = "peer|10.0.0.0/8=192.0.2.9;";
    const std::string second = "peer|10.0.0.0/8=192.0.2.10;";
    EXPECT_EQ(winner("1 2|IGP|1.1.1.1|0|0", "1 2|IGP|1.1.1.1|0|0"), first);
    EXPECT_EQ(winner("1 2|IGP|1.1.1.1|0|0", "1 2 3|IGP|1.1.1.1|9|0"), second);
    EXPECT_EQ(winner("1 2 3|IGP|1.1.1.1|0|0", "1 2|INCOMPLETE|1.1.1.1|0|9"), second);
    EXPECT_EQ(winner("1 2|INCOMPLETE|1.1.1.1|0|0", "1 2|EGP|1.1.1.1|0|9"), second);
    EXPECT_EQ(winner("1 2|IGP|1.1.1.1|0|2", "1 2|IGP|1.1.1.1|0|1"), second);
}

TEST(bgpdump_table, ShortLinesAndWrongOnes) {
    EXPECT_EQ(rows(bgpdump, "TABLE_DUMP2|02/11/17 08:40:00|B|192.0.2.1|65000|10.0.0.0/8|65000 1|IGP\n"),
              "next_hop,origin_as,peer,peer_as|10.0.0.0/8=,1,192.0.2.1,65000;");
    EXPECT_EQ(rows(bgpdump, "TABLE_DUMP2|1|B|192.0.2.1|65000|10.0.0.0/8\n"),
              "t:1: 'TABLE_DUMP2|1|B|192.0.2.1|65000|10.0.0.0/8': less than the nine fields of a line of "
              "bgpdump -m");
    EXPECT_EQ(
        rows(bgpdump, "BGP4MP|1|A|192.0.2.1|65000|10.0.0.0/8|65000|IGP|192.0.2.1|0|0||NAG||\n").substr(0, 12),
        "t:1: 'BGP4MP");
    EXPECT_EQ(rows(bgpdump, "TABLE_DUMP2|1|B|p|1|10.0.0.0/40|1|IGP|192.0.2.1|0|0\n"),
              "t:1: '10.0.0.0/40': prefix length 40 is longer than 32");
    EXPECT_EQ(rows(bgpdump, "\nhello\n" + std::string(dump), {.skip_bad = 1}), rows(bgpdump, dump));
}

constexpr std::string_view kernel = "default via 10.0.0.254 dev d0 proto static \n"
                                    "default via 10.0.1.254 dev d1 metric 50 \n"
                                    "10.0.0.0/24 dev d0 proto kernel scope link src 10.0.0.1 \n"
                                    "10.9.0.0/16 \n"
                                    "\tnexthop via 10.0.0.2 dev d0 weight 1 \n"
                                    "\tnexthop via 10.0.1.2 dev d1 weight 2 \n"
                                    "unreachable 172.16.0.0/12 \n"
                                    "192.0.2.7 via inet6 fe80::9 dev d0 metric 7 onlink \n";
constexpr std::string_view kernel_rows =
    "next_hop,dev,type,metric,protocol|0.0.0.0/0=10.0.0.254,d0,unicast,0,static;"
    "10.0.0.0/24=d0,d0,unicast,0,kernel;10.9.0.0/16=10.0.0.2,10.0.1.2,d0,d1,unicast,0,boot;"
    "172.16.0.0/12=unreachable,,unreachable,0,boot;192.0.2.7/32=fe80::9,d0,unicast,7,boot;";
constexpr std::string_view kernel_json =
    R"([{"dst":"default","gateway":"10.0.0.254","dev":"d0","protocol":"static","flags":[]},
{"dst":"default","gateway":"10.0.1.254","dev":"d1","metric":50,"flags":[]},
{"dst":"10.0.0.0/24","dev":"d0","protocol":"kernel","scope":"link","prefsrc":"10.0.0.1","flags":[]},
{"dst":"10.9.0.0/16","flags":[],"nexthops":[{"gateway":"10.0.0.2","dev":"d0","weight":1,"flags":[]},)"
    R"({"gateway":"10.0.1.2","dev":"d1","weight":2,"flags":[]}]},
{"type":"unreachable","dst":"172.16.0.0/12","flags":[]},
{"dst":"192.0.2.7","via":{"family":"inet6","host":"fe80::9"},"dev":"d0","metric":7,"flags":["onlink"]}])";

TEST(ip_route_table, WordsAndJsonAreTheSameTable) {
    EXPECT_EQ(rows(ip_route, kernel), kernel_rows);
    EXPECT_EQ(rows(ip_route_json, kernel_json), kernel_rows);
    EXPECT_EQ(read_both(ip_route, kernel)->ipv4.counts.not_best, 1U);
    EXPECT_EQ(rows(ip_route, "10.9.0.0/16 \\\tnexthop via 10.0.0.2 dev d0 \\\tnexthop via 10.0.1.2 dev d1\n",
                   {.values = {"next_hop"}}),
              "next_hop|10.9.0.0/16=10.0.0.2,10.0.1.2;");
}

TEST(ip_route_table, TheLowestMetricWinsAndGatewaysTellTheFamily) {
    const table_options hops{.values = {"next_hop"}};
    EXPECT_EQ(rows(ip_route,
                   "default via fe80::9 dev d0 metric 900\ndefault via 2001:db8::2 dev d0 metric 100\n"
                   "2001:db8:1::/64 dev d1 metric 256 pref medium\n",
                   hops),
              "next_hop|::/0=2001:db8::2;2001:db8:1::/64=d1;");
    EXPECT_EQ(rows(ip_route, "default dev tun0 metric 9\ndefault dev tun1\n2001:db8::/32 dev d0\n", hops),
              "next_hop|::/0=tun1;2001:db8::/32=d0;");
    EXPECT_EQ(rows(ip_route, "default via inet6 fe80::9 dev d0\n", hops), "next_hop|0.0.0.0/0=fe80::9;");
    EXPECT_EQ(rows(ip_route, "\tnexthop via 10.0.0.2 dev d0\n"),
              "t:1: '\\x09nexthop via 10.0.0.2 dev d0': nexthop without a route before it");
    EXPECT_EQ(rows(ip_route, "\n10.0.0.0/33 dev d0\n\n"),
              "t:2: '10.0.0.0/33': prefix length 33 is longer than 32");
    EXPECT_EQ(rows(ip_route, "hello\n10.0.0.0/8 dev d0", {.skip_bad = 1, .values = {"dev"}}),
              "dev|10.0.0.0/8=d0;");
    EXPECT_EQ(rows(ip_route_json, "[{\"network\":\"10.0.0.0/8\"}]"),
              "t:1: '{\"network\":\"10.0.0.0/8\"}': no member dst; ip -j route prints one for every route");
}

TEST(table_formats, ChunksOfAnySizeGiveTheSameTable) {
    struct sample {
        table_format format;
        std::string text;
    };
    const std::vector<sample> samples{
        {text, "\xef\xbb\xbfprefix next_hop\r\ndefault a\r\n10.0.0.0 255.0.0.0 b\n::/0|c "
               "d\nx\n\"11.0.0.0/8\",\"q\"\n"},
        {csv, "\xef\xbb\xbfnetwork,a,b\r\n10.0.0.0/8,\"x\ny\",\"\"\"\"\n::/1,2\n11.0.0.0-11.0.0.9,1,2\n"},
        {csv, "16777216,16777471,AU\nx,y\n1,2,3"},
        {json, "\xef\xbb\xbf{\"network\":\"10.0.0.0/8\",\"a\":\"\\\"}\"}\n{\"network\":\n{\"prefix\":\"::/"
               "0\",\"b\":2}\nx"},
        {json, "[{\"cidr\":\"10.0.0.0/8\"} x,\n{\"cidr\":\"11.0.0.0/8\"}"},
        {bgpdump, std::string(dump) + "hello"},
        {ip_route, std::string(kernel) + "x"},
        {ip_route_json, std::string(kernel_json) + "]"},
    };
    std::size_t reads = 0;
    for (const sample& one : samples)
        for (const std::uint64_t skipped : {0U, 1U, 9U}) {
            const table_options options{.skip_bad = skipped};
            const std::string whole = rows(one.format, one.text, options);
            for (std::size_t chunk = 1; chunk <= one.text.size(); ++chunk, ++reads)
                ASSERT_EQ(listed_rows(read_both(one.format, one.text, options, chunk)), whole)
                    << name_of(one.format) << ", chunks of " << chunk;
        }
    EXPECT_GT(reads, 4500U);
}

TEST(table_formats, NothingAfterAnErrorCounts) {
    for (const table_format one : table_formats()) {
        if (entry_of(one).open == nullptr)
            continue;
        any_reader reader(one, "t", {});
        // Rows of CSV need a header, which this is not either. Some formats can tell only at the end.
        if (!reader.feed("?\n?\n?\n")) {
            EXPECT_FALSE(reader.feed("10.0.0.0/8 a\n")) << name_of(one);
        }
        EXPECT_FALSE(std::move(reader).finish()) << name_of(one);
    }
}

} // namespace
} // namespace fingerpost::io
