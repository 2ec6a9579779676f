// Readers of tables on inputs that are too long, too many or too irregular for tests/samples, and what their
// samples cannot show: which advice an error gives, and how much of an input decides its format.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/format/image/image_start.hpp"
#include "io/format/ipset/exceptions.hpp"
#include "io/format/parts/network_length.hpp"
#include "tests/support/tables/table_readers.hpp"

namespace fingerpost::io {
namespace {

using enum table_format;

TEST(table_formats, ErrorsAdviseWhatTheCallerSays) {
    const std::string_view table = "id,block,asn\n1,10.0.0.0/8,64500\n";
    EXPECT_NE(rows(csv, table).find(" such as start_ip and end_ip (name one in table_options::network)"),
              std::string::npos);
    EXPECT_NE(
        rows(json, "{\"a\":1}").find(" such as network, prefix or cidr (name one in table_options::network)"),
        std::string::npos);
    EXPECT_NE(rows(csv, "172.16.0.0,255.240.0.0,a\n1.0.0.0,1.0.0.255,x\n")
                  .find(" row (name one in table_options::network)"),
              std::string::npos);
    const std::string_view two = "10.0.0.0/8 dev d0 table 100\n10.0.0.0/8 dev d1 table 200\n";
    EXPECT_NE(rows(ip_route, two).find(" 200 (name one in table_options::routing_table)"), std::string::npos);
    EXPECT_EQ(detect_format(table, true, {.advice = {.network = "name it with --network"}}).reason,
              "no column with prefixes in 'id,block,asn' (name it with --network)");
    EXPECT_EQ(detect_format("hello\n", true, {}).reason,
              "not a table: no known format begins with 'hello' (name it in read_options::format)");
}

TEST(table_formats, OneTableHasTheFamilyOfItsDefaultRoute) {
    any_reader reader(text, "t", {});
    ASSERT_TRUE(reader.feed("default a\n2001:db8::/32 b\n"));
    const auto table = std::move(reader).finish();
    ASSERT_TRUE(table);
    EXPECT_EQ(listed_rows(std::get<loaded_table<ipv6_address>>(*table)), "::/0=a;2001:db8::/32=b;");
}

TEST(table_formats, NothingAfterAnErrorCounts) {
    for (const table_format one : table_formats()) {
        if (entry_of(one).open == nullptr)
            continue;
        any_reader reader(one, "t", {});
        // Rows of CSV need a header, which this is not either. Some formats are recognised only at the end.
        if (!reader.feed("?\n?\n?\n")) {
            EXPECT_FALSE(reader.feed("10.0.0.0/8 a\n")) << name_of(one);
        }
        EXPECT_FALSE(std::move(reader).finish()) << name_of(one);
    }
}

// Lines, rows, objects and elements that are too long are faults as others are, and the next ones are read.
TEST(table_formats, LongInputs) {
    // In whatever pieces it comes.
    const std::string lengthy = "10.0.0.0/8 a\n" + std::string(200'000, 'x') + "\n11.0.0.0/8 b\n";
    for (const std::size_t chunk : {std::size_t{1000}, lengthy.size()})
        EXPECT_EQ(listed_rows(read_both(text, lengthy, {.skip_bad = 1}, chunk)),
                  "next_hop|10.0.0.0/8=a;11.0.0.0/8=b;");
    std::string open = "network,a\n10.0.0.0/8,\"";
    for (int i = 0; i < 3000; ++i)
        open += std::string(999, 'x') + "\n";
    EXPECT_EQ(rows(csv, open).substr(0, 30), "t:2: '10.0.0.0/8,\"" + std::string(12, 'x'));
    // A quote without an end takes no row but its own away.
    std::string many = "network,a\n10.0.0.0/8,\"x\n11.0.0.0/8,1\n";
    many.append(std::size_t{1} << 20, '\n');
    EXPECT_EQ(rows(csv, many + "13.0.0.0/8,3\n", {.skip_bad = 1}), "a|11.0.0.0/8=1;13.0.0.0/8=3;");
    std::string wide = "{\"network\":\"10.0.0.0/8\"";
    for (int i = 0; i < 300; ++i)
        wide += ",\"m" + std::to_string(i) + "\":1";
    EXPECT_NE(rows(json, wide + "}").find("more than 256 different members"), std::string::npos);
    EXPECT_NE(rows(json, "{\"network\":\"" + std::string(2 << 20, 'x') + "\"}").find("larger than 1 MiB"),
              std::string::npos);
    std::string endless = "table ip a {\nset b {\ntype ipv4_addr\nelements = { 10.0.0.0/8 x";
    for (int i = 0; i < 100; ++i)
        endless += " x\n";
    EXPECT_EQ(rows(nft, endless + " }\n}\n}\n"),
              "t:102: '10.0.0.0/8': an element has more than 100 words; is a comma missing?");
    std::string listing = "10.0.0.0/8 dev d0\n";
    for (int i = 1; i <= 300; ++i)
        listing += "10.0.0.0/8 dev d1 table " + std::to_string(i + 1000) + "\n";
    std::string told;
    (void)rows(ip_route, listing, {.on_left_out = [&](const std::string& words) { told = words; }});
    EXPECT_EQ(told.substr(0, 44), "1 route of table 1001, 1 route of table 1002");
    EXPECT_NE(told.find("1 route of table 1008 and 248 more"), std::string::npos) << told;
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

TEST(csv_table, NamesOfColumnsWithLengths) {
    for (const std::string name : {"mask", "netmask", "mask_len", "masklen", "prefixlen", "prefix_length",
                                   "Prefix Length", "length", "bits", "cidr", "subnet-mask"})
        EXPECT_EQ(rows(csv, "network," + name + ",a\n192.0.2.0,24,x\n2001:db8::,32,y\n"),
                  "a|192.0.2.0/24=x;2001:db8::/32=y;")
            << name;
}

TEST(network_lengths, all_masks_of_both_kinds) {
    for (unsigned length = 0; length <= 32; ++length) {
        const ipv4_address mask{network_mask<ipv4_address>(length)};
        const ipv4_address wildcard{~mask.value};
        EXPECT_EQ(netmask_length(mask), length);
        EXPECT_EQ(wildcard_length(wildcard), length);
        EXPECT_EQ(length_beside("10.0.0.0", to_string(mask)), length);
        // All zeros and all ones are masks.
        EXPECT_EQ(length_beside("10.0.0.0", to_string(wildcard)), length % 32 == 0 ? 32 - length : length);
        EXPECT_EQ(length_beside("10.0.0.0", std::to_string(length)), length);
    }
    for (const std::string_view text :
         {"", "/", "08", "33", "-1", "+1", "1.", "255.0.0.1", "24 ", "a", "1.2.3"})
        EXPECT_FALSE(length_beside("10.0.0.0", text)) << text;
}

TEST(bgpdump_table, TheOrderOfTheLinesMakesNoDifference) {
    std::vector<std::string> lines = {
        "TABLE_DUMP2|1|B|192.0.2.2|65000|10.0.0.0/8|65000 64512 64513|IGP|192.0.2.9|100|10||NAG||\n",
        "TABLE_DUMP2|1|B|192.0.2.3|65001|10.0.0.0/8|65001 {1,2}|IGP|192.0.2.3|100|0||NAG||\n",
        "TABLE_DUMP2|1|B|192.0.2.1|65002|10.0.0.0/8|65002 64513|INCOMPLETE|192.0.2.1|100|0||NAG||\n",
        "TABLE_DUMP2_AP|1|B|2001:db8::1|65000|2001:db8::/32|1|65000 64512|IGP|2001:db8::9|0|0||NAG||\n"};
    std::sort(lines.begin(), lines.end());
    do
        ASSERT_EQ(rows(bgpdump, lines[0] + lines[1] + lines[2] + lines[3], {.values = {"peer"}}),
                  "peer|10.0.0.0/8=192.0.2.3;2001:db8::/32=2001:db8::1;");
    while (std::next_permutation(lines.begin(), lines.end()));
}

// Every address is in the blocks exactly if the longest of the entries around it is not an exception.
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

TEST(table_detection, OtherFilesAreNamed) {
    const std::string zip = std::string("PK\x03\x04\x14\0\0\0\x08\0", 10) + "table.csv";
    EXPECT_EQ(found_format(zip), "a zip archive; unpack it, and use the file with the table");
    std::string tar = "table.csv";
    tar.resize(257, '\0');
    tar += "ustar";
    tar.resize(512, '\0');
    tar += "network,asn\n10.0.0.0/8,1\n";
    EXPECT_EQ(found_format(tar), "a tar archive; unpack it, and use the file with the table");
    EXPECT_TRUE(detect_format(std::string_view(tar).substr(0, 100), false, {}).needs_more);
    const std::string utf16 =
        "text in UTF-16; convert it to UTF-8, for example with iconv -f UTF-16 -t UTF-8";
    EXPECT_EQ(found_format(std::string_view("\xff\xfe"
                                            "1\0000\0.\0",
                                            8)),
              utf16);
    EXPECT_EQ(found_format(std::string_view("\xfe\xff\0"
                                            "1\0000\0.",
                                            8)),
              utf16);
    EXPECT_EQ(found_format(std::string_view("n\0e\0t\0,\0", 8)), utf16);
    EXPECT_EQ(found_format(std::string_view("\0n\0e\0t\0,", 8)), utf16);
    EXPECT_EQ(found_format(std::string_view("\x58\x9e\xd3\x20\0\x0d\0\x01\0\0\0\x10", 12)), "mrt");
    EXPECT_EQ(found_format(image_start), "image");
}

TEST(table_detection, SoMuchOfAnInputDecides) {
    EXPECT_TRUE(detect_format({}, false, {}).needs_more);
    const std::string zeros(max_detected_bytes, '\0');
    EXPECT_FALSE(detect_format(zeros, false, {}).needs_more);
    EXPECT_TRUE(detect_format(std::string_view(zeros).substr(1), false, {}).needs_more);
}

} // namespace
} // namespace fingerpost::io
