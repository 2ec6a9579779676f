// Updates as text: what is read, in which order, and how errors are placed.
#include "io/format/updates/updates.hpp"

#include <gtest/gtest.h>
#include <string>
#include <string_view>

namespace fingerpost::io {
namespace {

template <class A = ipv4_address>
std::string updates_of(std::string_view text, std::size_t chunk = 1000, host_bits policy = host_bits::mask) {
    update_reader<A> reader("u", policy);
    for (std::size_t at = 0; at < text.size(); at += chunk)
        if (!reader.feed(text.substr(at, chunk)))
            break;
    const auto read = std::move(reader).finish();
    if (!read)
        return message(read.error());
    std::string out;
    for (const route<A>& r : read->updates)
        out += to_string(r.where) + (r.hop == next_hop::none ? "" : "=" + std::string(read->values[r.hop])) +
               ";";
    return out;
}

TEST(updates_text, AnnouncementsAndWithdrawalsInOrder) {
    const std::string_view text = "A 10.0.0.0/8 one\nW 10.0.0.0/8\n\n# why\na 10.1.0.0/16,two # so\r\n"
                                  "1418774413 w 10.1.0.0/16 0.0.0.0\n1418774414,A,11.0.0.0/8,one";
    for (const std::size_t chunk : {1, 2, 7, 1000})
        EXPECT_EQ(updates_of(text, chunk),
                  "10.0.0.0/8=one;10.0.0.0/8;10.1.0.0/16=two;10.1.0.0/16;11.0.0.0/8=one;");
    EXPECT_EQ(updates_of(""), "");
}

TEST(updates_text, ARouteMayHaveNoNextHop) {
    EXPECT_EQ(updates_of("A 10.0.0.0/8\nA 11.0.0.0/8, # none\n5 a 12.0.0.0/8 x\nW 10.0.0.0/8\n"),
              "10.0.0.0/8=;11.0.0.0/8=;12.0.0.0/8=x;10.0.0.0/8;");
}

// All cells of announcements, after the names of the columns.
std::string rows_of_updates(std::string_view text) {
    update_reader<ipv4_address> reader("u");
    (void)reader.feed(text);
    const auto read = std::move(reader).finish();
    if (!read)
        return message(read.error());
    std::string out;
    for (std::size_t i = 0; i < read->values.columns(); ++i)
        out.append("<").append(read->values.name(i)).append(">");
    for (const route<ipv4_address>& r : read->updates) {
        out += " " + to_string(r.where);
        for (std::size_t i = 0; i < read->values.columns() && r.hop != next_hop::none; ++i)
            out.append("<").append(read->values.cell(r.hop, i)).append(">");
    }
    return out;
}

TEST(updates_text, ValuesMayBeQuotedAndSeveral) {
    EXPECT_EQ(rows_of_updates("A 10.0.0.0/8 \"peer \"\"7\"\", #x\" # why\n"),
              "<next_hop> 10.0.0.0/8<peer \"7\", #x>");
    const std::string_view text =
        "change prefix asn \"the name\"\nA 10.0.0.0/8 1 \"A, \"\"1\"\"\"\nW 11.0.0.0/8\n"
        "change,prefix,asn,\"the name\"\nA 12.0.0.0/8\nA,13.0.0.0/8,,2\nW 12.0.0.0/8 1 2";
    EXPECT_EQ(rows_of_updates(text), "<asn><the name> 10.0.0.0/8<1><A, \"1\"> 11.0.0.0/8 12.0.0.0/8<><> "
                                     "13.0.0.0/8<><2> 12.0.0.0/8");
}

TEST(updates_text, WrongHeadersAndCellsAreRefused) {
    const auto reason = [](std::string_view text) {
        const std::string words = rows_of_updates(text);
        return words.substr(words.rfind("': ") + 3);
    };
    EXPECT_EQ(reason("change 10.0.0.0/8 a\n"), "expected `change prefix COLUMN ...`");
    EXPECT_EQ(reason("change prefix\n"), "no columns");
    EXPECT_EQ(reason("change prefix a a\n"), "two columns have the same name");
    EXPECT_EQ(reason("change prefix a b\nA 10.0.0.0/8 1\n"), "1 value, but the header names 2 columns");
    EXPECT_EQ(reason("change prefix a b\nA 10.0.0.0/8 1 2 3\n"), "more than a prefix and 2 values");
    EXPECT_EQ(reason("A 10.0.0.0/8 1\nchange prefix a b\n"),
              "the columns differ from those of the preceding updates");
    EXPECT_EQ(reason("A 10.0.0.0/8 \"1\n"), "a quote is not closed");
    EXPECT_EQ(reason("A 10.0.0.0/8 \"1\"2\n"), "text after a closing quote");
    EXPECT_EQ(reason("A 10.0.0.0/8 \"1\t2\"\n"), "control character in the next hop");
}

TEST(updates_text, TheOtherFamilyIsSkippedAndCounted) {
    const std::string_view text = "A ::/0 x\nW 10.0.0.0/8\nW 2001:db8::/32\n";
    EXPECT_EQ(updates_of<ipv6_address>(text), "::/0=x;2001:db8::/32;");
    update_reader<ipv4_address> reader("u");
    EXPECT_TRUE(reader.feed(text));
    const auto read = std::move(reader).finish();
    ASSERT_TRUE(read);
    EXPECT_EQ(read->counts.other_family, 2U);
    EXPECT_EQ(read->counts.withdrawn, 1U);
    EXPECT_EQ(read->counts.announced, 0U);
    EXPECT_EQ(read->counts.lines, 3U);
}

TEST(updates_text, ErrorsNameLineAndText) {
    EXPECT_EQ(updates_of("A 10.0.0.0/8 x\nB 10.0.0.0/8\n"),
              "u:2: 'B 10.0.0.0/8': not an update (`A prefix next_hop` or `W prefix`)");
    EXPECT_EQ(updates_of("17 10.0.0.0/8 x\n"),
              "u:1: '17 10.0.0.0/8 x': not an update (`A prefix next_hop` or `W prefix`)");
    EXPECT_EQ(updates_of("W\n"), "u:1: 'W': no prefix");
    EXPECT_EQ(updates_of("W 10.0.0.0/8 x y\n"), "u:1: 'W 10.0.0.0/8 x y': more than a prefix and a next hop");
    EXPECT_TRUE(updates_of("\nA 10.0.0.0/33 x\n").starts_with("u:2: '10.0.0.0/33': "));
    EXPECT_EQ(updates_of("A 10.0.0.1/8 x\n"), "10.0.0.0/8=x;");
    EXPECT_TRUE(updates_of("A 10.0.0.1/8 x\n", 1000, host_bits::refuse).starts_with("u:1: '10.0.0.1/8': "));
    EXPECT_TRUE(updates_of(std::string(max_line_bytes + 1, 'a')).starts_with("u:1: the line has more than"));
}

} // namespace
} // namespace fingerpost::io
