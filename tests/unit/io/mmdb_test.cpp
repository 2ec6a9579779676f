// MaxMind DB files: what becomes of their networks and fields, and what is refused in damaged ones.
#include <array>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "fingerpost/net/mapped.hpp"
#include "io/format/table_format.hpp"
#include "io/source/any_table.hpp"
#include "tests/support/images.hpp"
#include "tests/support/tables/mmdb_maker.hpp"
#include "tests/support/tables/table_readers.hpp"

#if FINGERPOST_HAVE_MAXMINDDB
#include <maxminddb.h>
#endif

namespace fingerpost::io {
namespace {

using namespace mmdb_value;

bool is_there() {
    return read_both(table_format::mmdb, "x").error().reason.find("without libmaxminddb") ==
           std::string::npos;
}

class mmdb : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!is_there())
            GTEST_SKIP() << "built without libmaxminddb";
    }
};

constexpr u128 ipv4(unsigned a, unsigned b, unsigned c) {
    return static_cast<u128>(a) << 24 | b << 16 | c << 8;
}
constexpr u128 high(std::uint64_t half) {
    return static_cast<u128>(half) << 64;
}

std::string rows(std::string_view file, const table_options& options = {}) {
    return listed_rows(read_both(table_format::mmdb, file, options));
}

TEST_F(mmdb, ColumnsHaveTheTypesOfTheirFields) {
    mmdb_maker maker(4, 24);
    // 47 as a double, and -0.5 as a float.
    const auto one = maker.data(map({{"asn", u32(64500)},
                                     {"latitude", number(3, 0x4047'8000'0000'0000, 8)},
                                     {"mixed", u16(7)},
                                     {"on", truth(true)},
                                     {"name", string("12")},
                                     {"large", number(10, u128{1} << 64, 16)},
                                     {"both", u16(1)}}));
    const auto two = maker.data(map({{"latitude", number(15, 0xbf00'0000, 4)},
                                     {"mixed", number(3, 0x3ff8'0000'0000'0000, 8)},
                                     {"name", string("")},
                                     {"both", string("x")}}));
    maker.add(ipv4(192, 0, 2), 24, one);
    maker.add(ipv4(198, 51, 100), 24, two);
    const auto read = read_both(table_format::mmdb, maker.file());
    ASSERT_TRUE(read);
    const value_rows& values = read->ipv4.values;
    constexpr std::array wanted{column_type::integer, column_type::number, column_type::number,
                                column_type::boolean, column_type::text,   column_type::text,
                                column_type::text};
    ASSERT_EQ(values.columns(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i)
        EXPECT_EQ(values.type(i), wanted[i]) << values.name(i);
    EXPECT_EQ(rows(maker.file()), "asn,latitude,mixed,on,name,large,both|"
                                  "192.0.2.0/24=64500,47.0,7,true,12,18446744073709551616,1;"
                                  "198.51.100.0/24=,-0.5,1.5,,,,x;");
    EXPECT_TRUE(is_missing(values.cell({1}, 0)));
    EXPECT_FALSE(is_missing(values.cell({1}, 4))) << "an empty text";
}

TEST_F(mmdb, FieldsAreColumnsByTheirPath) {
    mmdb_maker maker(4, 24);
    const auto one = maker.data(
        map({{"country", map({{"iso_code", string("CH")}, {"names", map({{"en", string("Switzerland")}})}})},
             {"parts", mmdb_value::array({map({{"code", string("ZH")}}), map({{"code", string("BE")}})})}}));
    const auto two = maker.data(map({{"is_any", truth(true)}, {"country", map({{"iso_code", string("")}})}}));
    maker.add(ipv4(192, 0, 2), 24, one);
    maker.add(ipv4(198, 51, 100), 24, two);
    EXPECT_EQ(rows(maker.file()), "country.iso_code,country.names.en,parts.0.code,parts.1.code,is_any|"
                                  "192.0.2.0/24=CH,Switzerland,ZH,BE,;198.51.100.0/24=,,,,true;");
    EXPECT_EQ(rows(maker.file(), {.values = {"parts.1.code", "country_iso_code"}}),
              "parts.1.code,country_iso_code|192.0.2.0/24=BE,CH;198.51.100.0/24=,;");
    EXPECT_EQ(rows(maker.file(), {.values = {"city"}}), "t: 'city': no network has this field");
    EXPECT_EQ(rows(maker.file(), {.values = {"a", "a"}}), "t: the column 'a' is named twice");
    EXPECT_EQ(rows(maker.file(), {.network = {"cidr", "b"}}),
              "t: 'b': a MaxMind DB has no network columns to choose from");
}

TEST_F(mmdb, ValuesOfEveryTypeAreTexts) {
    mmdb_maker maker(4, 32);
    const auto place = maker.data(map({{"double", number(3, 0x3ff8'0000'0000'0000, 8)},
                                       {"bytes", control(4, 3) + std::string("\x00\x7f\xff", 3)},
                                       {"u16", u16(65535)},
                                       {"u32", u32(4'294'967'295)},
                                       {"i32", number(8, 0xffff'fffb, 4)},
                                       {"short", number(8, 5, 1)},
                                       {"zero", number(6, 0, 0)},
                                       {"u64", number(9, 0xffff'ffff'ffff'ffff, 8)},
                                       {"u128", number(10, ~u128{0}, 16)},
                                       {"no", truth(false)},
                                       {"float", number(15, 0x3dcc'cccd, 4)},
                                       {"empty", map({})},
                                       {"long", string(std::string(300, 'x'))}}));
    maker.add(ipv4(10, 0, 0), 8, place);
    EXPECT_EQ(rows(maker.file()),
              "double,bytes,u16,u32,i32,short,zero,u64,u128,no,float,long|10.0.0.0/8=1.5,007fff,65535,"
              "4294967295,-5,5,0,18446744073709551615,340282366920938463463374607431768211455,false,0.1," +
                  std::string(300, 'x') + ";");
    mmdb_maker bare(4, 28);
    bare.add(ipv4(10, 0, 0), 8, bare.data(string("a")));
    EXPECT_EQ(rows(bare.file()), "value|10.0.0.0/8=a;");
}

TEST_F(mmdb, Ipv4NetworksOfAnIpv6TreeAreIpv4Routes) {
    for (const unsigned bits : {24U, 28U, 32U}) {
        mmdb_maker maker(6, bits);
        const auto a = maker.data(map({{"c", string("A")}}));
        const auto b = maker.data(map({{"c", string("B")}}));
        maker.add(ipv4(1, 2, 3), 120, a);
        maker.add(ipv4(9, 0, 0), 104, b);
        maker.add(high(0x2001'0db8'0000'0000), 32, a);
        maker.add_alias(high(0x2002'0000'0000'0000), 16);
        maker.add_alias(static_cast<u128>(0xffff) << 32, 96);
        maker.add_alias(high(0x2001'0000'0000'0000), 32);
        EXPECT_EQ(rows(maker.file()), "c|1.2.3.0/24=A;9.0.0.0/8=B;2001:db8::/32=A;") << bits;
        const table_options six{.only = family::ipv6};
        EXPECT_EQ(rows(maker.file(), six), "c|2001:db8::/32=A;") << bits;
        EXPECT_EQ(read_both(table_format::mmdb, maker.file(), six)->ipv6.counts.other_family, 2U);
        EXPECT_EQ(listed_rows(read_both(table_format::mmdb, maker.file(), {}, 7)), rows(maker.file()));
    }
    // A network that has all of IPv4 in it, and one that is all of IPv4.
    for (const unsigned length : {8U, 96U}) {
        mmdb_maker maker(6, 24);
        maker.add(0, length, maker.data(map({{"c", string("A")}})));
        EXPECT_EQ(rows(maker.file()), length == 96 ? "c|0.0.0.0/0=A;" : "c|0.0.0.0/0=A;::/8=A;");
    }
    mmdb_maker empty(6, 24);
    EXPECT_EQ(rows(empty.file()), "next_hop|");
}

#if FINGERPOST_HAVE_MAXMINDDB

// The country of an address as libmaxminddb finds it; empty if it finds none.
std::string found_by_library(const MMDB_s& database, const std::string& address) {
    int bad_address = 0, fault = 0;
    MMDB_lookup_result_s found = MMDB_lookup_string(&database, address.c_str(), &bad_address, &fault);
    EXPECT_EQ(bad_address, 0) << address;
    EXPECT_EQ(fault, MMDB_SUCCESS) << address;
    MMDB_entry_data_s data{};
    if (!found.found_entry || MMDB_get_value(&found.entry, &data, "c", nullptr) != MMDB_SUCCESS)
        return {};
    return {data.utf8_string, data.data_size};
}

template <class A>
std::string longest_match(const loaded_table<A>& table, A address) {
    const route<A>* best = nullptr;
    for (const route<A>& one : table.routes)
        if (one.where.contains(address) && (best == nullptr || best->where.length < one.where.length))
            best = &one;
    return best == nullptr ? std::string() : std::string(table.values.cell(best->hop, 0));
}

// The answer of a table whose aliases are not routes.
std::string answer(const both_tables& tables, ipv6_address address) {
    const auto has_ipv4 = [&](ipv4_address a) { return !longest_match(tables.ipv4, a).empty(); };
    const auto ipv6_length = [](ipv6_address) { return 0U; };
    const auto found = [&]<class A>(A a) {
        if constexpr (A::bits == ipv4_address::bits)
            return longest_match(tables.ipv4, a);
        else
            return longest_match(tables.ipv6, a);
    };
    return in_answering_form(address, has_ipv4, ipv6_length, found, tables.aliases);
}

// The tables answer as libmaxminddb does, with aliases as routes and without, whether the writer of the file
// made some or none.
TEST_F(mmdb, AliasesAnswerAsLibmaxminddbDoes) {
    std::size_t answers = 0;
    for (const bool has_aliases : {false, true}) {
        mmdb_maker maker(6, 28);
        const auto a = maker.data(map({{"c", string("A")}})), b = maker.data(map({{"c", string("B")}})),
                   c = maker.data(map({{"c", string("C")}}));
        maker.add(ipv4(1, 2, 3), 120, a);
        maker.add(ipv4(9, 0, 0), 104, b);
        maker.add(ipv4(192, 0, 2), 121, c);
        maker.add(high(0x2001'0db8'0000'0000), 32, a);
        if (has_aliases) {
            maker.add_alias(high(0x2002'0000'0000'0000), 16);
            maker.add_alias(static_cast<u128>(0xffff) << 32, 96);
            maker.add_alias(high(0x2001'0000'0000'0000), 32);
            maker.add_alias(high(0x0064'ff9b'0000'0000), 96);
        } else {
            maker.add(high(0x2002'0102'0000'0000), 32, c);
        }
        fingerpost::testing::scratch_folder folder;
        const std::string path = (folder / "t.mmdb").string();
        std::ofstream(path, std::ios::binary) << maker.file();
        MMDB_s database{};
        ASSERT_EQ(MMDB_open(path.c_str(), MMDB_MODE_MMAP, &database), MMDB_SUCCESS);
        const auto tables = read_both(table_format::mmdb, maker.file(), {.aliases = true});
        const auto plain = read_both(table_format::mmdb, maker.file());
        ASSERT_TRUE(tables && plain);
        EXPECT_TRUE(tables->aliases.empty());
        EXPECT_EQ(plain->ipv6.routes.size(), has_aliases ? 1U : 2U);
        std::string blocks;
        for (const ipv6_prefix& block : plain->aliases)
            blocks += to_string(block) + " ";
        EXPECT_EQ(blocks, has_aliases ? "::/96 64:ff9b::/96 2001::/32 2002::/16 " : "::/96 ");
        for (const std::string four :
             {"1.2.3.4", "1.2.2.255", "1.2.4.0", "9.255.0.1", "10.0.0.0", "192.0.2.1", "192.0.2.128"}) {
            const auto number = parse_address<ipv4_address>(four);
            ASSERT_TRUE(number);
            EXPECT_EQ(longest_match(tables->ipv4, *number), found_by_library(database, four)) << four;
            const u128 value = number->value;
            for (const u128 place :
                 {value, value | static_cast<u128>(0xffff) << 32, high(0x2002'0000'0000'0000) | value << 80,
                  high(0x2001'0000'0000'0000) | value << 64, high(0x0064'ff9b'0000'0000) | value,
                  high(0x2001'0db8'0000'0000) | value}) {
                const ipv6_address six{place};
                const std::string right = found_by_library(database, to_string(six));
                EXPECT_EQ(longest_match(tables->ipv6, six), right) << to_string(six) << " " << has_aliases;
                // Mapped addresses have answers of any table.
                if (has_aliases || !is_ipv4_mapped(six)) {
                    EXPECT_EQ(answer(*plain, six), right) << to_string(six) << " " << has_aliases;
                }
                answers += right.empty() ? 0 : 1;
            }
        }
        MMDB_close(&database);
    }
    EXPECT_GT(answers, 30U);
}

#endif

TEST_F(mmdb, OneFamilyIsWantedOrRefused) {
    mmdb_maker maker(6, 24);
    const auto a = maker.data(map({{"c", string("A")}}));
    maker.add(ipv4(1, 2, 3), 120, a);
    maker.add(high(0x2001'0db8'0000'0000), 32, a);
    any_reader reader(table_format::mmdb, "t", {});
    ASSERT_TRUE(reader.feed(maker.file()));
    const auto table = std::move(reader).finish();
    ASSERT_FALSE(table);
    EXPECT_EQ(table.error().text, "2001:db8::/32");
}

TEST_F(mmdb, DamageIsToldWithItsPlace) {
    EXPECT_EQ(rows(""), "t: the file is empty");
    EXPECT_EQ(rows("hello"), "t: cannot read the MaxMind DB: The MaxMind DB file contains invalid metadata");
    mmdb_maker deep(4, 24);
    const auto a = deep.data(map({{"c", string("A")}}));
    deep.add(ipv4(10, 0, 0), 8, a);
    deep.add_node(ipv4(11, 0, 0), 8, 0);
    EXPECT_EQ(rows(deep.file()).substr(0, 10), "t: node 7 ");
    // Every record of the tree leads to the next node: 2^32 networks.
    mmdb_maker wide(4, 24);
    wide.add(0, 32, wide.data(map({{"c", string("A")}})));
    for (unsigned length = 1; length < 32; ++length)
        wide.add_node(u128{1} << (32 - length), length, length);
    EXPECT_NE(rows(wide.file()).find("too many networks lead to the same nodes"), std::string::npos);
    mmdb_maker outside(4, 24);
    outside.add(ipv4(10, 0, 0), 8, outside.data(map({{"c", string("A")}})));
    EXPECT_EQ(rows(outside.file(1000)), "t: node 7 at byte 42: a record points outside of the data");
    // 2^40 values in some bytes.
    mmdb_maker bomb(4, 24);
    auto place = bomb.data(string("A"));
    for (unsigned level = 0; level < 40; ++level)
        place = bomb.data(mmdb_value::array({pointer(place), pointer(place)}));
    bomb.add(ipv4(10, 0, 0), 8, place);
    EXPECT_NE(rows(bomb.file()).find("it has more than 100000 values"), std::string::npos);
    mmdb_maker cut(4, 24);
    cut.add(ipv4(10, 0, 0), 8, cut.data(map({{"c", control(2, 200) + "A"}})));
    EXPECT_EQ(rows(cut.file()), "t: the record at byte 64: it points past the end of the data");
}

TEST_F(mmdb, TooManyFieldsAreNoColumns) {
    mmdb_maker maker(4, 24);
    std::string record = control(7, 300);
    for (unsigned i = 0; i < 300; ++i)
        record += string("f" + std::to_string(i)) + u16(1);
    maker.add(ipv4(10, 0, 0), 8, maker.data(record));
    EXPECT_NE(rows(maker.file()).find("more than 256 different names; choose some as columns"),
              std::string::npos);
    EXPECT_EQ(rows(maker.file(), {.values = {"f299"}}), "f299|10.0.0.0/8=1;");
}

// Neither a crash nor a table out of order, whatever byte is wrong.
TEST_F(mmdb, EveryByteCanBeDamaged) {
    mmdb_maker maker(6, 28);
    const auto a =
        maker.data(map({{"c", map({{"d", string("A")}})}, {"e", mmdb_value::array({u32(7), truth(true)})}}));
    maker.add(ipv4(1, 2, 3), 120, a);
    maker.add(high(0x2001'0db8'0000'0000), 32, a);
    maker.add_alias(high(0x2002'0000'0000'0000), 16);
    const std::string whole = maker.file();
    std::size_t refused = 0;
    for (std::size_t at = 0; at < whole.size(); ++at) {
        for (const char change : {'\x01', '\x80', '\xff'}) {
            std::string damaged = whole;
            damaged[at] = static_cast<char>(damaged[at] ^ change);
            refused += read_both(table_format::mmdb, damaged) ? 0 : 1;
        }
        (void)read_both(table_format::mmdb, std::string_view(whole).substr(0, at));
    }
    EXPECT_GT(refused, 200U);
}

TEST_F(mmdb, IsFoundByItsStartOrItsEnd) {
    mmdb_maker maker(6, 24);
    maker.add(ipv4(1, 2, 3), 120, maker.data(map({{"c", string("A")}})));
    const auto found = detect_format(maker.file(), true, {});
    EXPECT_EQ(found.format, table_format::mmdb);
    EXPECT_TRUE(detect_format(std::string_view(maker.file()).substr(0, 11), false, {}).needs_more);
    // The left half of the root is empty, so its first record is not a node.
    mmdb_maker other(4, 24);
    other.add(ipv4(192, 0, 2), 24, other.data(map({{"c", string("A")}})));
    EXPECT_FALSE(detect_format(other.file(), true, {}).format);
    fingerpost::testing::scratch_folder folder;
    const std::string path = (folder / "other.mmdb").string();
    std::ofstream(path, std::ios::binary) << other.file();
    EXPECT_EQ(listed_rows(load_both(path)), "c|192.0.2.0/24=A;");
}

} // namespace
} // namespace fingerpost::io
