// The cutter of rows and the reader of CSV: every way to cut a text gives the same rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/enrich/rows/csv_rows.hpp"
#include "cli/enrich/rows/row_cutter.hpp"

namespace fingerpost::cli::enrich {
namespace {

constexpr csv_dialect csv{};
constexpr csv_dialect plain_tsv{'\t', false};

struct cut_text {
    std::string rows;                      // of all blocks
    std::vector<std::uint64_t> line_of;    // at which each block begins
    std::vector<std::string> ends;         // the last row of each block
    std::vector<std::uint64_t> too_long{}; // lines of those
};

cut_text cut(const std::string& text, std::size_t chunk, const csv_dialect* dialect) {
    cut_text made;
    row_cutter cutter("test", dialect);
    const auto take = [&](row_block&& block) {
        if (block.is_too_long) {
            made.too_long.push_back(block.first_line);
            return true;
        }
        EXPECT_TRUE(block.is_last || block.bytes.ends_with('\n'));
        made.rows += block.bytes;
        if (block.bytes.empty())
            return true;
        made.line_of.push_back(block.first_line);
        made.ends.push_back(block.bytes);
        return true;
    };
    for (std::size_t at = 0; at < text.size(); at += chunk)
        EXPECT_TRUE(cutter.feed(std::string_view(text).substr(at, chunk), take));
    EXPECT_TRUE(cutter.finish(take));
    return made;
}

std::vector<std::string> rows_of(const std::string& text, const csv_dialect& dialect) {
    std::vector<std::string> rows;
    const char* const end = text.data() + text.size();
    for (const char* at = text.data(); at != end;) {
        const csv_row row = read_csv_row(at, end, dialect, {}, {});
        rows.emplace_back(at, row.end);
        at = row.next;
    }
    return rows;
}

TEST(enrich_cutter, gives_all_bytes_in_whole_rows) {
    const std::string text = "a,\"x\ny\",b\r\n\"\"\"\n\",c\nd\"e\n\"f\"g\"\n\n\"open,\"\"\n\"\nlast";
    for (const csv_dialect* dialect : {&csv, &plain_tsv, static_cast<const csv_dialect*>(nullptr)}) {
        for (std::size_t chunk = 1; chunk <= text.size(); ++chunk) {
            const cut_text made = cut(text, chunk, dialect);
            EXPECT_EQ(made.rows, text) << chunk;
            // No block ends within a row: blocks that are read one by one give the rows of the whole.
            std::vector<std::string> rows;
            for (const std::string& block : made.ends)
                for (std::string& row : rows_of(block, dialect != nullptr ? *dialect : plain_tsv))
                    rows.push_back(std::move(row));
            EXPECT_EQ(rows, rows_of(text, dialect != nullptr ? *dialect : plain_tsv)) << chunk;
        }
    }
}

TEST(enrich_cutter, knows_the_line_of_each_block) {
    const cut_text made = cut("1\n\"2\n3\"\n4\n", 1, &csv);
    EXPECT_EQ(made.line_of, (std::vector<std::uint64_t>{1, 2, 4}));
}

// A row may be complete before it is found to be too long; then it is in its block, and the reader of the
// block finds that out.
TEST(enrich_cutter, leaves_out_rows_that_are_too_long) {
    const std::string long_row(max_row_bytes + 1, 'x');
    const std::string quoted = "\"" + std::string(max_row_bytes, '\n') + "\"";
    const std::string text = "a\n" + long_row + "\nb\n" + quoted + "\nc\n" + long_row;
    const std::vector<std::uint64_t> lines{2, 4, max_row_bytes + 6};
    for (const std::size_t chunk : {std::size_t{1000}, std::size_t{65'536}, std::size_t{999'983}}) {
        const cut_text made = cut(text, chunk, &csv);
        std::size_t long_rows = made.too_long.size();
        std::string rows;
        for (const std::string& row : rows_of(made.rows, csv)) {
            if (row.size() > max_row_bytes)
                ++long_rows;
            else
                rows += row + '\n';
        }
        EXPECT_TRUE(rows == "a\nb\nc\n") << chunk;
        EXPECT_EQ(long_rows, 3) << chunk;
        for (const std::uint64_t line : made.too_long)
            EXPECT_TRUE(std::find(lines.begin(), lines.end(), line) != lines.end()) << line;
        EXPECT_EQ(made.too_long.back(), lines.back());
    }
}

// The numbers of lines in blocks in which each line is a row.
std::vector<std::string> single_lines(const std::string& text, std::size_t chunk) {
    std::vector<std::string> found;
    row_cutter cutter("test", &csv);
    const auto take = [&](row_block&& block) {
        for (const line_region& region : block.by_line) {
            EXPECT_LE(region.end, block.bytes.size());
            EXPECT_TRUE(region.begin == 0 || block.bytes[region.begin - 1] == '\n');
            found.push_back(block.bytes.substr(region.begin, region.end - region.begin));
        }
        return true;
    };
    for (std::size_t at = 0; at < text.size(); at += chunk)
        EXPECT_TRUE(cutter.feed(std::string_view(text).substr(at, chunk), take));
    EXPECT_TRUE(cutter.finish(take));
    return found;
}

TEST(enrich_cutter, makes_rows_of_lines_behind_a_quote_without_an_end) {
    using texts = std::vector<std::string>;
    const std::vector<std::pair<std::string, texts>> all{
        {"a\n\"b\nc\nd", {"\"b\nc\nd"}},
        {"a\n\"b\nc\nd\n", {"\"b\nc\nd\n"}},
        // The quote that opens the next field seems to close the one before.
        {"\"a\nb\n\"c\"\nd\n", {"\"a\nb\n"}},
        {"\"a\nx,\"b\ny,\"c\"\nd\n", {"\"a\n", "x,\"b\n"}},
        {"\"a\nb\"\n\"c\"\n\"d\"x\n\"e\n\"", {}}};
    for (const auto& [text, lines] : all)
        for (std::size_t chunk = 1; chunk <= text.size(); ++chunk) {
            EXPECT_EQ(single_lines(text, chunk), lines) << text << chunk;
            EXPECT_EQ(cut(text, chunk, &csv).rows, text) << chunk;
        }
    // Within the size of the longest row; reading goes on behind it.
    const std::string long_text = "\"a\n" + std::string(max_row_bytes, '\n') + "b\n\"c\n\"\n";
    const texts found = single_lines(long_text, 65'536);
    ASSERT_EQ(found.size(), 1);
    EXPECT_GT(found[0].size(), max_row_bytes);
}

TEST(enrich_csv, tells_open_quotes) {
    for (const char* const row : {"\"", "a,\"b", "\"a\"\"", "\"a\",\"\"\"", "\"a\"b,\"c"})
        EXPECT_TRUE(has_open_quote(row, csv)) << row;
    for (const char* const row : {"", "a\"", "\"\"", "\"a\"", "a,\"b\",", "\"a\"b\""})
        EXPECT_FALSE(has_open_quote(row, csv)) << row;
    EXPECT_FALSE(has_open_quote("\"", plain_tsv));
}

// Counts at every place of a row, for any wanted number of fields.
TEST(enrich_csv, counts_fields) {
    for (const std::string& tail : {std::string(), std::string("\n"), std::string("\r\nnext,row\n")})
        for (std::size_t count = 1; count < 600; count += count < 40 ? 1 : 97)
            for (const char* const field : {"", "x", "\"a,b\"", "5\" pipe"}) {
                std::string row;
                for (std::size_t i = 0; i < count; ++i)
                    row += std::string(i == 0 ? "" : ",") + (i % 3 == 1 ? "some" : field);
                if (row.empty() && tail.empty())
                    continue;
                row += tail;
                for (const std::size_t wanted : {std::size_t{0}, count / 2, count - 1}) {
                    std::vector<std::string_view> raw(1);
                    const csv_row read =
                        read_csv_row(row.data(), row.data() + row.size(), csv, {&wanted, 1}, raw);
                    ASSERT_EQ(read.columns, count) << row;
                    ASSERT_EQ(read.field_count, 1) << row;
                }
                ASSERT_EQ(read_csv_row(row.data(), row.data() + row.size(), csv, {}, {}).columns, count)
                    << row;
            }
}

TEST(enrich_cutter, ends_when_nobody_wants_more) {
    row_cutter cutter("test", nullptr);
    EXPECT_FALSE(cutter.feed("a\n", [](row_block&&) { return false; }));
}

std::vector<std::string> fields(const std::string& row, const std::vector<std::size_t>& wanted,
                                csv_dialect dialect = csv) {
    std::vector<std::string_view> raw(wanted.size());
    const csv_row read = read_csv_row(row.data(), row.data() + row.size(), dialect, wanted, raw);
    std::vector<std::string> texts;
    std::string scratch;
    for (std::size_t i = 0; i < read.field_count; ++i)
        texts.emplace_back(csv_text(raw[i], dialect, scratch));
    return texts;
}

TEST(enrich_csv, finds_fields) {
    using texts = std::vector<std::string>;
    EXPECT_EQ(fields("a,b,c\n", {0, 2}), (texts{"a", "c"}));
    EXPECT_EQ(fields("a,b,c\r\n", {2}), texts{"c"});
    EXPECT_EQ(fields("a,b,c", {2}), texts{"c"});
    EXPECT_EQ(fields("a,,\n", {1, 2}), (texts{"", ""}));
    EXPECT_EQ(fields("a,b\n", {1, 2}), texts{"b"});
    EXPECT_EQ(fields("\"a,\n\",b\n", {0, 1}), (texts{"a,\n", "b"}));
    EXPECT_EQ(fields("\"a\"\"b\",c\n", {0}), texts{"a\"b"});
    EXPECT_EQ(fields("\"a\"b\"c\",d\n", {0, 1}), (texts{"ab\"c\"", "d"}));
    EXPECT_EQ(fields("a\"b,c\n", {0, 1}), (texts{"a\"b", "c"}));
    EXPECT_EQ(fields("\"open\n", {0}), texts{"open\n"});
    EXPECT_EQ(fields("\"\",x\n", {0, 1}), (texts{"", "x"}));
    EXPECT_EQ(fields("\"a\tb\n", {0, 1}, plain_tsv), (texts{"\"a", "b"}));
    EXPECT_EQ(csv_texts("a,\"b,\",", csv), (texts{"a", "b,", ""}));
}

} // namespace
} // namespace fingerpost::cli::enrich
