// Overlays against the definition of longest match, columns that are joined, and files of columns that are
// wrong.
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include "io/format/csv/csv.hpp"
#include "io/source/combine/column_file.hpp"
#include "io/source/combine/column_join.hpp"
#include "io/source/combine/overlay.hpp"

namespace fingerpost::testing {
namespace {

io::both_tables table_of(const std::string& text) {
    io::csv_reader reader("table", {.both = true});
    reader.feed(text);
    auto made = std::move(reader).finish_both();
    EXPECT_TRUE(made) << io::message(made.error());
    return std::move(*made);
}

struct columns : ::testing::Test {
    expected<io::column_file, io::input_error> read(const std::string& text, std::string_view key) {
        const std::string path = ::testing::TempDir() + "columns_" +
                                 ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".csv";
        std::ofstream(path) << text;
        return io::column_file::read(path, key);
    }
    std::string fault(const std::string& text, std::string_view key) {
        const auto made = read(text, key);
        if (made)
            return "none";
        const std::string words = io::message(made.error());
        return words.substr(words.find(".csv") + 4);
    }
};

template <class A>
std::string match_in(const io::loaded_table<A>& table, A address, const std::string& before) {
    const route<A>* best = nullptr;
    for (const route<A>& one : table.routes)
        if (one.where.contains(address) && (best == nullptr || best->where.length < one.where.length))
            best = &one;
    std::string text = before + "prefix=" + (best != nullptr ? to_string(best->where) : "");
    for (std::size_t i = 0; i < table.values.columns(); ++i)
        text += " " + before + std::string(table.values.name(i)) + "=" +
                (best != nullptr ? std::string(table.values.cell(best->hop, i)) : "");
    return text;
}

template <class A>
std::string cells_of(const io::loaded_table<A>& table, A address) {
    const route<A>* best = nullptr;
    for (const route<A>& one : table.routes)
        if (one.where.contains(address) && (best == nullptr || best->where.length < one.where.length))
            best = &one;
    std::string text;
    for (std::size_t i = 0; i < table.values.columns(); ++i)
        text += (i == 0 ? "" : " ") + std::string(table.values.name(i)) + "=" +
                (best != nullptr ? std::string(table.values.cell(best->hop, i)) : "");
    return text;
}

TEST(overlay, AnswersWhatEachTableAnswers) {
    std::mt19937 dice(7);
    std::size_t asked = 0;
    for (int round = 0; round < 50; ++round) {
        std::vector<io::named_tables> all;
        for (const char* const name : {"a", "b", "c"}) {
            std::string text = "network,x,y\n";
            const auto count = static_cast<unsigned>(dice() % 12);
            for (unsigned i = 0; i < count; ++i) {
                const unsigned length = 24 + static_cast<unsigned>(dice() % 9);
                const unsigned last = (static_cast<unsigned>(dice() % 256) >> (32 - length)) << (32 - length);
                text += "10.0.0." + std::to_string(last) + "/" + std::to_string(length) + "," +
                        std::to_string(dice() % 4) + ",\n";
            }
            all.push_back({name, table_of(text)});
        }
        const io::both_tables made = io::overlay_tables(all);
        for (std::uint32_t last = 0; last < 256; ++last, ++asked) {
            const ipv4_address address{(10U << 24) + last};
            std::string wanted;
            for (const io::named_tables& one : all)
                wanted += (wanted.empty() ? "" : " ") + match_in(one.tables.ipv4, address, one.name + "_");
            ASSERT_EQ(cells_of(made.ipv4, address), wanted) << to_string(address);
        }
        EXPECT_TRUE(std::is_sorted(made.ipv4.routes.begin(), made.ipv4.routes.end(),
                                   [](const auto& a, const auto& b) { return a.where < b.where; }));
        EXPECT_TRUE(made.ipv6.routes.empty());
    }
    EXPECT_EQ(asked, 12800U);
}

TEST_F(columns, AreJoinedByACommonOne) {
    const auto file = read("Id,name,place\n7,\"Atlantis, Inc\",sea\n8,Mu,\"a \"\"b\"\"\"\n", "id");
    ASSERT_TRUE(file) << io::message(file.error());
    EXPECT_EQ(file->rows(), 2U);
    EXPECT_EQ(file->key(), "Id");
    io::both_tables table =
        table_of("network,id,name\n10.0.0.0/8,7,x\n10.1.0.0/16,9,y\n2001:db8::/32,8,z\n2001:db8:1::/48,,z\n");
    const auto joined = io::join_columns(table, "id", *file);
    ASSERT_TRUE(joined) << joined.error();
    EXPECT_TRUE(*joined);
    EXPECT_EQ(cells_of(table.ipv4, {10U << 24}), "id=7 name=x id_name=Atlantis, Inc place=sea");
    EXPECT_EQ(cells_of(table.ipv4, {(10U << 24) + (1U << 16)}), "id=9 name=y id_name= place=");
    EXPECT_EQ(cells_of(table.ipv6, *parse_address<ipv6_address>("2001:db8::1")),
              "id=8 name=z id_name=Mu place=a \"b\"");
    EXPECT_EQ(cells_of(table.ipv6, *parse_address<ipv6_address>("2001:db8:1::1")),
              "id= name=z id_name= place=");
    const auto without = io::join_columns(table, "country", *file);
    ASSERT_TRUE(without);
    EXPECT_FALSE(*without) << "the table has no such column";
    EXPECT_FALSE(io::join_columns(table, "id", *file)) << "both names are there already";
}

TEST_F(columns, OfAFileThatIsWrongAreRefusedWithTheLine) {
    EXPECT_EQ(fault("id,name\n1,a\n2,b\n1,c\n", "id"), ":4: '1': line 2 has the same id");
    EXPECT_EQ(fault("id,name\n1,a,b\n", "id"), ":2: '1,a,b': 3 fields, but the header has 2");
    EXPECT_EQ(fault("id,name\n,a\n", "id"), ":2: ',a': the id is empty");
    EXPECT_EQ(fault("id,name\n1,a\n", "key"), ":1: no column 'key'; columns: id, name");
    EXPECT_EQ(fault("id\n1\n", "id"), ":1: 'id': no column besides the key");
    EXPECT_EQ(fault("", "id"), ": no header");
    EXPECT_EQ(fault("id,name\n1,\"a\"b\n", "id"), ":2: '1,\"a\"b': text after a closing quote");
    EXPECT_EQ(fault("id,name\n1,\"a\nb\"\n", "id"), ":2: '1,\"a': a quote is not closed on its line");
}

TEST(aliases, AreThoseOfAllTables) {
    io::both_tables one = table_of("network,a\n10.0.0.0/8,x\n"), other = one;
    const auto block = [](const char* text) { return *parse_prefix<ipv6_address>(text); };
    one.aliases = {block("::/96"), block("2002::/16")};
    other.aliases = {block("2001::/32"), block("::/96")};
    const std::vector<ipv6_prefix> all{block("::/96"), block("2002::/16"), block("2001::/32")};
    EXPECT_EQ(io::overlay_tables({{"one", one}, {"other", other}}).aliases, all);
    EXPECT_EQ(io::join_tables({one, other}).tables.aliases, all);
}

} // namespace
} // namespace fingerpost::testing
