// Rows of CSV are cut eight bytes at a time if they have no quotes, and the fields are those of a plain loop.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "io/format/csv/csv_row.hpp"

namespace fingerpost::io {
namespace {

std::vector<std::string_view> plain_fields(std::string_view row, char separator) {
    std::vector<std::string_view> fields;
    for (std::size_t end = row.find(separator); end != row.npos; end = row.find(separator)) {
        fields.push_back(row.substr(0, end));
        row.remove_prefix(end + 1);
    }
    fields.push_back(row);
    return fields;
}

TEST(csv_row, has_the_fields_between_separators) {
    std::mt19937 random(1);
    csv_row row;
    std::size_t fields = 0;
    for (unsigned round = 0; round < 20'000; ++round) {
        // Bytes near the separator's value, with and without the highest bit, are not separators.
        const char separator = ",;|\t"[random() % 4];
        const char around[] = {separator,
                               separator,
                               static_cast<char>(separator + 1),
                               static_cast<char>(separator - 1),
                               static_cast<char>(separator ^ '\x80'),
                               'a',
                               '\0',
                               '\xff'};
        std::string text(random() % 40, ' ');
        for (char& c : text)
            c = around[random() % std::size(around)];
        ASSERT_TRUE(row.cut(text, separator));
        ASSERT_EQ(row.fields(), plain_fields(text, separator)) << ::testing::PrintToString(text);
        fields += row.fields().size();
    }
    EXPECT_GT(fields, 60'000u);
}

TEST(csv_row, has_fields_in_quotes_wherever_they_are) {
    csv_row row;
    for (std::size_t before = 0; before < 20; ++before)
        for (std::size_t after = 0; after < 20; ++after) {
            const std::string first(before, 'x');
            const std::string last(after, 'y');
            // Fields point into the row.
            const std::string quoted = first + ",\"a,\"\"b\"," + last;
            ASSERT_TRUE(row.cut(quoted, ','));
            const std::vector<std::string_view> wanted{first, "a,\"b", last};
            ASSERT_EQ(row.fields(), wanted);
            const std::string within = first + "z\"," + last;
            ASSERT_TRUE(row.cut(within, ','));
            EXPECT_EQ(row.fields().front(), first + "z\"") << "a quote within a field is a character";
            EXPECT_FALSE(row.cut("\"" + first + "\"z" + last, ','));
        }
}

} // namespace
} // namespace fingerpost::io
