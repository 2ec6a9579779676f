// Types of columns: which formats decide them, what the user chooses, and what becomes of them when tables
// are combined.
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "io/format/parts/table_types.hpp"
#include "io/format/table_format.hpp"
#include "io/source/combine/overlay.hpp"
#include "tests/support/tables/table_readers.hpp"

namespace fingerpost::io {
namespace {

both_tables table_of(table_format format, std::string_view text) {
    auto read = read_both(format, text);
    EXPECT_TRUE(read) << message(read.error());
    return std::move(*read);
}

std::string types_of(const both_tables& tables) {
    std::string out;
    for (std::size_t i = 0; i < tables.ipv4.values.columns(); ++i) {
        EXPECT_EQ(tables.ipv4.values.type(i), tables.ipv6.values.type(i));
        out.append(i == 0 ? "" : " ").append(name_of(tables.ipv4.values.type(i)));
    }
    return out;
}

TEST(table_types, ValuesDecideInBothFamilies) {
    EXPECT_EQ(types_of(table_of(table_format::csv, "network,a,b,c,d,e\n"
                                                   "10.0.0.0/8,1,1,true,,\"\"\n"
                                                   "2001:db8::/32,2,1.5,false,,\n")),
              "integer float boolean text text");
    EXPECT_EQ(types_of(table_of(table_format::csv, "network,a\n10.0.0.0/8,1\n2001:db8::/32,x\n")), "text");
    EXPECT_EQ(types_of(table_of(table_format::text, "10.0.0.0/8 1\n11.0.0.0/8\n")), "integer");
    // The first row is replaced, and no route has it any more.
    EXPECT_EQ(types_of(table_of(table_format::csv, "network,a\n10.0.0.0/8,x\n10.0.0.0/8,1\n")), "integer");
}

TEST(table_types, JsonHasItsOwn) {
    EXPECT_EQ(
        types_of(table_of(
            table_format::json,
            R"({"network":"10.0.0.0/8","a":1,"b":"1","c":true,"d":null,"e":1,"f":1,"g":18446744073709551616}
{"network":"11.0.0.0/8","a":-1,"b":"2","c":null,"e":2.5,"f":"x"}
)")),
        "integer text boolean text float text float");
    EXPECT_EQ(types_of(table_of(table_format::json, R"({"network":"10.0.0.0/8","a":18446744073709551615}
{"network":"11.0.0.0/8","a":-1}
)")),
              "float")
        << "no integer of 64 bits holds both";
}

TEST(table_types, AreChosen) {
    both_tables tables = table_of(table_format::csv, "network,asn,zip\n10.0.0.0/8,1,007\n::/0,2,\n");
    ASSERT_EQ(types_of(tables), "integer text");
    using chosen = std::vector<typed_column>;
    EXPECT_EQ(fix_types(tables, chosen{{"asn", column_type::text}}), "");
    EXPECT_EQ(types_of(tables), "text text");
    EXPECT_EQ(fix_types(tables, chosen{{"asn", column_type::number}}), "");
    EXPECT_EQ(types_of(tables), "float text");
    EXPECT_EQ(fix_types(tables, chosen{{"asn", column_type::integer}, {"zip", column_type::integer}}),
              "the column 'zip' has '007', which is not of the type integer");
    EXPECT_EQ(types_of(tables), "float text") << "all or nothing";
    EXPECT_EQ(fix_types(tables, chosen{{"x", column_type::text}}), "no column 'x'; columns: asn, zip");
    EXPECT_EQ(fix_types(tables, chosen{{"asn", column_type::text}, {"asn", column_type::text}}),
              "the column 'asn' is named twice");
}

TEST(table_types, OfTablesThatAreJoined) {
    std::vector<both_tables> all;
    all.push_back(table_of(table_format::csv, "network,a,b,c,d\n10.0.0.0/8,1,1,true,1\n"));
    all.push_back(table_of(table_format::csv, "network,a,b,c,d\n11.0.0.0/8,1.5,x,,2\n"));
    all.push_back(table_of(table_format::csv, "network,e\n12.0.0.0/8,false\n"));
    const joined_tables joined = join_tables(std::move(all));
    EXPECT_EQ(types_of(joined.tables), "float text boolean integer boolean") << "what is missing has no type";
    EXPECT_TRUE(is_missing(joined.tables.ipv4.values.cell(joined.tables.ipv4.routes[2].hop, 0)));
}

TEST(table_types, OfAnOverlay) {
    std::vector<named_tables> all;
    all.push_back({"x", table_of(table_format::csv, "network,a\n10.0.0.0/8,1\n")});
    all.push_back({"y", table_of(table_format::csv, "network,a\n10.1.0.0/16,true\n")});
    const both_tables made = overlay_tables(all);
    EXPECT_EQ(types_of(made), "text integer text boolean");
    EXPECT_TRUE(is_missing(made.ipv4.values.cell(made.ipv4.routes[0].hop, 2))) << "no prefix of y";
}

} // namespace
} // namespace fingerpost::io
