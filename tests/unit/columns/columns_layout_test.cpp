// Columns in every layout: rows of each kind at every position of a block, with and without validity bits, on
// every instruction set; and the messages for bad rows.
#include <array>
#include <gtest/gtest.h>
#include <random>

#include "fingerpost/columns/column_reader.hpp"
#include "tests/support/columns.hpp"

namespace fingerpost {
namespace {

using namespace testing_columns;
using columns::block;
using columns::block_reader;
using columns::block_rows;
using columns::content;
using columns::row_state;

std::vector<row> some_texts(std::size_t count, unsigned seed) {
    std::mt19937_64 random(seed);
    std::vector<row> rows;
    for (std::size_t i = 0; i < count; ++i) {
        const u128 bits = u128{random()} << 64 | random();
        switch (random() % 8) {
        case 0:
            rows.emplace_back();
            break;
        case 1:
            rows.emplace_back(random() % 2 == 0 ? "" : "no address, but a long text that is no inline view");
            break;
        case 2:
        case 3:
            rows.emplace_back(to_string(ipv4_address{static_cast<std::uint32_t>(bits)}));
            break;
        case 4:
            rows.emplace_back("::" + std::to_string(random() % 1000));
            break;
        default:
            rows.emplace_back(to_string(ipv6_address{bits}));
        }
    }
    return rows;
}

std::string network_bytes(const parsed_row& parsed) {
    std::string bytes;
    const bool four = parsed.state == row_state::ipv4;
    for (unsigned shift = four ? 32 : 128; shift > 0; shift -= 8)
        bytes += static_cast<char>(four ? parsed.ipv4.value >> (shift - 8)
                                        : static_cast<std::uint8_t>(parsed.ipv6.value >> (shift - 8)));
    return bytes;
}

// Converts each row to 4 or 16 bytes; a text that is not an address stays unchanged.
std::vector<row> as_binary(std::vector<row> rows) {
    for (row& r : rows)
        if (const parsed_row parsed = parse_slowly(r);
            parsed.state == row_state::ipv4 || parsed.state == row_state::ipv6)
            r = network_bytes(parsed);
    return rows;
}

std::vector<parsed_row> parse_all(const std::vector<row>& rows) {
    std::vector<parsed_row> parsed;
    for (const row& r : rows)
        parsed.push_back(parse_slowly(r));
    return parsed;
}

// Reads rows [first, first + count) into a block that already contains other rows.
void expect_rows(const columns::column& from, std::size_t first, std::size_t count,
                 const std::vector<parsed_row>& wanted, block& out) {
    for (const simd::isa isa : simd::available_isas()) {
        block_reader(from, isa).read(first, count, out);
        ASSERT_EQ(out.first, first);
        ASSERT_EQ(out.rows, count);
        const auto found = rows_of(out);
        ASSERT_EQ(found.size(), count) << name_of(isa);
        for (std::size_t i = 0; i < count; ++i)
            ASSERT_EQ(found[i], wanted[first + i]) << name_of(isa) << ", row " << first + i;
    }
}

void expect_column(const columns::column& from, const std::vector<parsed_row>& wanted) {
    ASSERT_EQ(row_count(from), wanted.size());
    static block out;
    for (std::size_t first = 0; first < wanted.size(); first += block_rows)
        expect_rows(from, first, std::min(block_rows, wanted.size() - first), wanted, out);
}

TEST(ColumnLayouts, TextWithEveryOffsetOfTheValidity) {
    for (std::size_t offset = 0; offset < 20; ++offset) {
        const auto rows = some_texts(300 + offset, static_cast<unsigned>(offset));
        const auto wanted = parse_all(rows);
        expect_column(offset_column<std::int32_t>(rows, offset).value, wanted);
        expect_column(offset_column<std::int64_t>(rows, offset).value, wanted);
        expect_column(view_column(rows, offset).value, wanted);
    }
}

TEST(ColumnLayouts, BinaryOfEitherLength) {
    for (std::size_t offset = 0; offset < 9; ++offset) {
        const auto rows = some_texts(700, static_cast<unsigned>(100 + offset));
        const auto wanted = parse_all(rows);
        const auto bytes = as_binary(rows);
        expect_column(offset_column<std::int32_t>(bytes, offset, content::binary).value, wanted);
        expect_column(offset_column<std::int64_t>(bytes, offset, content::binary).value, wanted);
        expect_column(view_column(bytes, offset, content::binary).value, wanted);
    }
}

TEST(ColumnLayouts, BlocksBeginAndEndAnywhere) {
    const auto rows = some_texts(2 * block_rows + 9, 7);
    const auto wanted = parse_all(rows);
    const offset_column<std::int32_t> texts(rows, 3);
    const view_column views(rows, 5);
    static block out;
    for (const std::size_t first : {0UL, 1UL, 7UL, 8UL, 1000UL, block_rows, block_rows + 1}) {
        for (std::size_t count = 0; count < 40; ++count)
            expect_rows(texts.value, first, count, wanted, out);
        expect_rows(texts.value, first, block_rows, wanted, out);
        expect_rows(views.value, first, block_rows, wanted, out);
        expect_rows(views.value, first, 17, wanted, out);
    }
    for (std::size_t first = 0; first <= rows.size(); ++first)
        expect_rows(texts.value, first, std::min<std::size_t>(rows.size() - first, 5), wanted, out);
}

TEST(ColumnLayouts, WithoutValidityAllRowsHaveValues) {
    auto rows = some_texts(1500, 8);
    for (row& r : rows)
        r = r.value_or("1.2.3.4");
    const auto wanted = parse_all(rows);
    offset_column<std::int32_t> texts(rows);
    view_column views(rows);
    texts.value.valid = views.value.valid = {};
    expect_column(texts.value, wanted);
    expect_column(views.value, wanted);
}

// Binary addresses of one family, as in Arrow and numpy.
template <class A>
void expect_packed(bool nulls, std::size_t offset) {
    std::mt19937_64 random(offset);
    std::vector<row> rows;
    std::vector<parsed_row> wanted;
    std::string bytes;
    for (std::size_t i = 0; i < block_rows + 77; ++i) {
        const u128 bits = u128{random()} << 64 | random();
        parsed_row one{.state = row_state::ipv6, .ipv6 = {bits}};
        if constexpr (std::same_as<A, ipv4_address>)
            one = {.state = row_state::ipv4, .ipv4 = {static_cast<std::uint32_t>(bits)}};
        bytes += network_bytes(one);
        const bool null = nulls && random() % 5 == 0;
        rows.push_back(null ? row() : row(""));
        wanted.push_back(null ? parsed_row{.state = row_state::null} : one);
    }
    const guarded_bytes guarded(bytes);
    owned_column packed(rows, offset);
    if (!nulls)
        packed.value.valid = {};
    packed.value.values = columns::packed_layout<A>{
        reinterpret_cast<const unsigned char*>(guarded.chars().data()), rows.size()};
    expect_column(packed.value, wanted);
}

TEST(ColumnLayouts, PackedAddresses) {
    for (std::size_t offset = 0; offset < 10; ++offset)
        for (const bool nulls : {false, true}) {
            expect_packed<ipv4_address>(nulls, offset);
            expect_packed<ipv6_address>(nulls, offset);
        }
}

TEST(ColumnLayouts, Numbers) {
    const std::vector<row> rows{"", row(), "", "", row()};
    const std::vector<std::uint32_t> numbers{0x01020304, 5, 0xffffffff, 0, 7};
    owned_column column(rows, 6);
    column.value.values = columns::number_layout{numbers};
    expect_column(column.value, {{row_state::ipv4, {0x01020304}, {}},
                                 {row_state::null, {}, {}},
                                 {row_state::ipv4, {0xffffffff}, {}},
                                 {row_state::ipv4, {0}, {}},
                                 {row_state::null, {}, {}}});
}

TEST(ColumnLayouts, NoRows) {
    static block out;
    for (const columns::column& empty : {columns::column{columns::offset_layout<std::int32_t>{}, {}},
                                         columns::column{columns::view_layout{}, {}},
                                         columns::column{columns::packed_layout<ipv6_address>{}, {}},
                                         columns::column{columns::number_layout{}, {}}}) {
        EXPECT_EQ(row_count(empty), 0U);
        expect_rows(empty, 0, 0, {}, out);
    }
}

// Arrays at any offset in memory: Arrow recommends alignment and does not require it.
TEST(ColumnLayouts, NothingNeedsToBeAligned) {
    const auto rows = some_texts(100, 9);
    const auto wanted = parse_all(rows);
    for (std::size_t shift = 1; shift < 8; ++shift) {
        view_column views(rows);
        offset_column<std::int64_t> texts(rows);
        const auto move = [&](auto span) {
            using T = typename decltype(span)::value_type;
            std::string bytes(shift, ' ');
            bytes.append(reinterpret_cast<const char*>(span.data()), span.size_bytes());
            return std::pair(bytes, [shift, n = span.size()](const std::string& in) {
                return std::span(reinterpret_cast<const T*>(in.data() + shift), n);
            });
        };
        auto& by_views = std::get<columns::view_layout>(views.value.values);
        auto& by_offsets = std::get<columns::offset_layout<std::int64_t>>(texts.value.values);
        const auto [view_bytes, views_in] = move(by_views.views);
        const auto [offset_bytes, offsets_in] = move(by_offsets.offsets);
        by_views.views = views_in(view_bytes);
        by_offsets.offsets = offsets_in(offset_bytes);
        expect_column(views.value, wanted);
        expect_column(texts.value, wanted);
    }
}

TEST(ColumnLayouts, RowsOutsideOfTheirBuffersAreBad) {
    const std::string data = "10.0.0.1";
    const std::vector<std::int32_t> offsets{0, 8, 9, 3, -1, 8, 8, 2'000'000'000};
    const columns::column wrong{columns::offset_layout<std::int32_t>{offsets, data}, {}};
    std::vector<parsed_row> wanted(7);
    wanted[0] = parse_slowly(data);
    expect_column(wrong, wanted);
    EXPECT_EQ(explain(wrong, 1).reason, "the row is outside the buffers of its column");
    EXPECT_EQ(explain(wrong, 5).reason, "there is no address");

    const auto long_view = [](std::int32_t size, std::int32_t buffer, std::int32_t offset) {
        columns::view one{size, {}};
        std::memcpy(one.rest + 4, &buffer, 4);
        std::memcpy(one.rest + 8, &offset, 4);
        return one;
    };
    const std::string buffer = "2001:db8:1:2::3:4";
    const std::array<std::span<const char>, 1> buffers{buffer};
    const std::vector<columns::view> views{long_view(17, 0, 0),
                                           long_view(17, 0, 1),
                                           long_view(17, 1, 0),
                                           long_view(17, -1, 0),
                                           long_view(17, 0, -1),
                                           long_view(-1, 0, 0),
                                           long_view(INT32_MAX, 0, INT32_MAX)};
    wanted[0] = parse_slowly(buffer);
    expect_column({columns::view_layout{views, buffers}, {}}, wanted);
}

TEST(ColumnRows, ExplainSaysWhatIsWrong) {
    const std::vector<row> rows{"10.0.0.1", "10.0.0.256", row(), "2001:db8::g", "", "10.0.0.1/8"};
    const offset_column<std::int32_t> texts(rows);
    EXPECT_EQ(explain(texts.value, 0).reason, "");
    const columns::bad_row octet = explain(texts.value, 1);
    EXPECT_EQ(octet.row, 1U);
    EXPECT_EQ(octet.text, "10.0.0.256");
    EXPECT_EQ(octet.reason, "an octet is larger than 255 at column 8");
    EXPECT_EQ(explain(texts.value, 2).reason, "");
    EXPECT_EQ(explain(texts.value, 3).reason, "unexpected 'g' at column 11");
    EXPECT_EQ(explain(texts.value, 4).reason, "there is no address");
    EXPECT_EQ(explain(texts.value, 5).reason, "unexpected '/' at column 9");

    const view_column bytes({"\x0a\x01\x02", "\x0a\x01\x02\x03"}, 0, content::binary);
    EXPECT_EQ(explain(bytes.value, 0).text, "0a0102");
    EXPECT_EQ(explain(bytes.value, 0).reason, "a binary address has 4 or 16 bytes, and this has 3");
    EXPECT_EQ(explain(bytes.value, 1).reason, "");
}

// explain() has a reason for exactly those rows that are not addresses.
TEST(ColumnRows, BadRowsAndReasonsAgree) {
    const auto rows = some_texts(block_rows, 11);
    const view_column views(rows, 1);
    static block out;
    block_reader(views.value).read(0, block_rows, out);
    for (std::size_t i = 0; i < block_rows; ++i) {
        EXPECT_EQ(explain(views.value, i).reason.empty(), out.states[i] != row_state::bad);
        EXPECT_EQ(bytes_of(views.value, i), rows[i]);
    }
    EXPECT_GT(out.bad, 50U);
    EXPECT_GT(out.nulls, 50U);
}

} // namespace
} // namespace fingerpost
