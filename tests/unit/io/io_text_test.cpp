// Tables as text: families, lines without an end, chunks of any size, and how errors quote an input;
// tests/samples/text has what is read.
#include "io/format/parts/printable.hpp"
#include "io/format/text/table_text.hpp"

#include <gtest/gtest.h>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace fingerpost::io {
namespace {

expected<one_table, input_error> read_in_chunks(std::string_view text, std::size_t chunk,
                                                const table_options& options = {}) {
    table_reader reader("t", options);
    for (std::size_t at = 0; at < text.size(); at += chunk)
        if (!reader.feed(text.substr(at, chunk)))
            break;
    return std::move(reader).finish();
}

expected<one_table, input_error> read(std::string_view text, const table_options& options = {}) {
    return read_in_chunks(text, std::max<std::size_t>(text.size(), 1), options);
}

// The routes as text, one after the other, next hops by name.
template <class A>
std::string listed(const loaded_table<A>& table) {
    std::string out;
    for (const route<A>& r : table.routes)
        out += to_string(r.where) + "=" + std::string(table.values[r.hop]) + ";";
    return out;
}
std::string listed(const one_table& table) {
    return std::visit([](const auto& t) { return listed(t); }, table);
}
table_counts counts(const one_table& table) {
    return std::visit([](const auto& t) { return t.counts; }, table);
}

std::string routes_of(std::string_view text, const table_options& options = {}) {
    const auto table = read(text, options);
    return table ? listed(*table) : message(table.error());
}

TEST(table_text, AnEmptyTableIsATable) {
    for (const std::string_view text : {"", "\n", "# nothing", "\r\n\n#\n"}) {
        const auto table = read(text);
        ASSERT_TRUE(table) << text;
        EXPECT_EQ(listed(*table), "");
    }
    const auto four = read("", {.only = family::ipv4});
    EXPECT_TRUE(std::holds_alternative<loaded_table<ipv4_address>>(*four));
}

TEST(table_text, FamiliesAreNotMixed) {
    const std::string_view text = "# first\n2001:db8::/32 a\n\n10.0.0.0/8 b\n::/0 c\n10.0.0.0/9 d\n";
    EXPECT_EQ(
        routes_of(text),
        "t:4: '10.0.0.0/8': IPv4 route in a table that began with IPv6 (table_options::only chooses one, "
        "load_both() reads both)");
    EXPECT_EQ(routes_of(text, {.advice = {.family = "say which by the flag"}}),
              "t:4: '10.0.0.0/8': IPv4 route in a table that began with IPv6 (say which by the flag)");
    EXPECT_EQ(routes_of(text, {.advice = no_advice}),
              "t:4: '10.0.0.0/8': IPv4 route in a table that began with IPv6");
    EXPECT_EQ(
        routes_of("10.0.0.0/8,Acme Inc\n", {.advice = {.format = "choose one with --input-format"}}),
        "t:1: '10.0.0.0/8,Acme Inc': a value with blanks needs quotes here, but not in CSV (choose one with "
        "--input-format)");
    EXPECT_EQ(routes_of(text, {.only = family::ipv4}), "10.0.0.0/8=b;10.0.0.0/9=d;");
    const auto six = read(text, {.only = family::ipv6});
    ASSERT_TRUE(six);
    EXPECT_EQ(listed(*six), "::/0=c;2001:db8::/32=a;");
    EXPECT_EQ(counts(*six).other_family, 2U);
}

TEST(table_text, BothFamiliesOfOneInput) {
    const std::string_view text = "::/0 x\n10.0.0.1/8 a\n2001:db8::/32 y\n10.0.0.0/8 b\n2001:db8::/32 x";
    table_reader reader("t", {.both = true});
    ASSERT_TRUE(reader.feed(text));
    const auto tables = std::move(reader).finish_both();
    ASSERT_TRUE(tables);
    EXPECT_EQ(listed(tables->ipv4), "10.0.0.0/8=b;");
    EXPECT_EQ(listed(tables->ipv6), "::/0=x;2001:db8::/32=x;");
    EXPECT_EQ(tables->ipv4.counts.masked, 1U);
    EXPECT_EQ(tables->ipv6.counts.masked, 0U);
    EXPECT_EQ(tables->ipv4.counts.duplicates, 1U);
    EXPECT_EQ(tables->ipv6.counts.duplicates, 1U);
    EXPECT_EQ(tables->ipv4.counts.lines, 5U);
    EXPECT_EQ(tables->ipv6.counts.lines, 5U);

    table_reader narrowed("t", {.only = family::ipv4, .both = true});
    ASSERT_TRUE(narrowed.feed(text));
    const auto four = std::move(narrowed).finish_both();
    ASSERT_TRUE(four);
    EXPECT_EQ(listed(four->ipv4), "10.0.0.0/8=b;");
    EXPECT_TRUE(four->ipv6.routes.empty());
    EXPECT_EQ(four->ipv4.counts.other_family, 3U);

    // The last line decides the family even when nothing ends it.
    EXPECT_EQ(routes_of("# none\n10.0.0.0/8 1"), "10.0.0.0/8=1;");
}

TEST(table_text, LinesWithoutEndAreRefusedBeforeTheyFillTheMemory) {
    const std::string zeros(max_line_bytes, '0');
    for (const std::size_t chunk : {std::size_t{1000}, zeros.size() + 9}) {
        const auto table = read_in_chunks("::/0\n" + zeros + "0\n", chunk);
        ASSERT_FALSE(table);
        EXPECT_EQ(message(table.error()), "t:2: the line has more than 65536 bytes; is this a table?");
    }
    EXPECT_TRUE(read("::/0 " + zeros.substr(5) + "\n"));
}

TEST(table_text, NothingAfterAnErrorCounts) {
    table_reader reader("t", {});
    EXPECT_FALSE(reader.feed("x\n"));
    EXPECT_FALSE(reader.feed("10.0.0.0/8\ny\n"));
    const auto table = std::move(reader).finish();
    ASSERT_FALSE(table);
    EXPECT_EQ(table.error().line, 1U);
}

TEST(table_text, ChunksOfAnySizeGiveTheSameTable) {
    std::mt19937_64 random(1);
    std::string text = "# made up\r\n";
    for (int i = 0; i < 300; ++i) {
        const ipv6_prefix p = ipv6_prefix::make({u128{random()} << 64}, static_cast<unsigned>(random() % 65));
        text += to_string(p) + (i % 3 == 0 ? "\t" : ", ") + std::to_string(random() % 40) +
                (i % 5 == 0 ? "\r\n" : "\n");
    }
    const std::string whole = routes_of(text);
    ASSERT_EQ(std::count(whole.begin(), whole.end(), ';'), std::count(whole.begin(), whole.end(), '='));
    for (std::size_t chunk = 1; chunk < 100; ++chunk) {
        const auto table = read_in_chunks(text, chunk);
        ASSERT_TRUE(table);
        ASSERT_EQ(listed(*table), whole) << "chunks of " << chunk;
    }
    const auto same_error = [&](std::size_t chunk) {
        return message(read_in_chunks(text + "::/x 1", chunk).error());
    };
    for (std::size_t chunk = 1; chunk < 50; ++chunk)
        ASSERT_EQ(same_error(chunk), "t:302: '::/x': unexpected 'x' at column 4");
}

TEST(line_cutter, StopsWhenTheReceiverHasEnough) {
    line_cutter lines;
    std::vector<std::string> seen;
    const auto take = [&](std::string_view line, std::uint64_t number) {
        seen.push_back(std::to_string(number) + std::string(line));
        return number < 2;
    };
    EXPECT_EQ(lines.feed("a\nb\nc\n", take), cut::stopped);
    EXPECT_EQ(seen, (std::vector<std::string>{"1a", "2b"}));
}

TEST(line_cutter, SkipsALongLineToItsEndWhenItMay) {
    const std::string text = "a\n" + std::string(3 * max_line_bytes, 'x') + "\n" +
                             std::string(max_line_bytes, 'y') + "\nb\n" +
                             std::string(max_line_bytes + 1, 'z');
    for (const std::size_t chunk : {std::size_t{7}, max_line_bytes, max_line_bytes + 1, text.size()}) {
        line_cutter lines;
        std::string seen;
        const auto take = [&](std::string_view line, std::uint64_t number) {
            seen += std::to_string(number) + ":" + std::to_string(line.size()) + line[0] + " ";
            return true;
        };
        const auto refuse = [&](std::string_view beginning, std::uint64_t number) {
            EXPECT_EQ(beginning.size(), max_line_bytes);
            seen += std::to_string(number) + ":long" + beginning[0] + " ";
            return true;
        };
        for (std::size_t at = 0; at < text.size(); at += chunk)
            ASSERT_EQ(lines.feed(std::string_view(text).substr(at, chunk), take, refuse), cut::ok);
        EXPECT_EQ(lines.finish(take), cut::ok);
        EXPECT_EQ(seen, "1:1a 2:longx 3:65536y 4:1b 5:longz ") << "chunks of " << chunk;
    }
}

TEST(printable, EscapesWhatATerminalWouldObeyOrHide) {
    EXPECT_EQ(printable("plain, \u00e9, \u4e2d, \U0001f600"), "plain, \u00e9, \u4e2d, \U0001f600");
    EXPECT_EQ(printable(std::string_view("a\0\x1b[31m\n\x7f", 9)), "a\\x00\\x1b[31m\\x0a\\x7f");
    // C1 controls, as UTF-8 and as single bytes; U+00A0 is the first character after them.
    EXPECT_EQ(printable("\xc2\x9b"
                        "31m\x9b \xc2\x80\xc2\x9f\xc2\xa0"),
              "\\xc2\\x9b31m\\x9b \\xc2\\x80\\xc2\\x9f\xc2\xa0");
    // Cut, overlong, a surrogate, above U+10FFFF, and marks that turn the direction of writing.
    EXPECT_EQ(printable("\xc3"), "\\xc3");
    EXPECT_EQ(printable("\xc0\x80\xed\xa0\x80"), "\\xc0\\x80\\xed\\xa0\\x80");
    EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
    EXPECT_EQ(printable("\xe2\x80\xae\xef\xbb\xbf"), "\\xe2\\x80\\xae\\xef\\xbb\\xbf");
    const std::string once = printable("\x80");
    EXPECT_EQ(printable(once), once);
    std::size_t shown = 0;
    for (int c = 0; c < 256; ++c)
        shown += printable_size(std::string(1, static_cast<char>(c)));
    EXPECT_EQ(shown, 95U);
}

TEST(input_error, QuotesABoundedPartOfAnyText) {
    EXPECT_EQ(io::quoted(std::string(80, 'x')), "'" + std::string(80, 'x') + "'");
    EXPECT_EQ(io::quoted(std::string(81, 'x')), "'" + std::string(80, 'x') + "...'");
    // No character is cut.
    EXPECT_EQ(io::quoted(std::string(79, 'x') + "\u00e9y"), "'" + std::string(79, 'x') + "\u00e9...'");
    EXPECT_EQ(message({"a\nb", 7, "\x9b", "why"}), "a\\x0ab:7: '\\x9b': why");
}

} // namespace
} // namespace fingerpost::io
