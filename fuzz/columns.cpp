// Feeds lines as a column of texts in each layout: every row must be what parse_address() makes of it. Or
// feeds bytes as offsets and views, which may point anywhere: no row may be read outside of its buffer.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/columns/column_reader.hpp"
#include "fingerpost/simd/isa.hpp"
#include "fuzz/require.hpp"

namespace {

using namespace fingerpost;
using columns::row_state;

// An array in memory of exactly its size, so that AddressSanitizer sees each byte read past its end.
template <class T>
struct exact {
    explicit exact(std::span<const T> from) : size(from.size()), values(new T[from.size()]) {
        if (size != 0)
            std::memcpy(values.get(), from.data(), from.size_bytes());
    }
    std::span<const T> all() const { return {values.get(), size}; }

    std::size_t size;
    std::unique_ptr<T[]> values;
};

// Rows that begin with this character have no value.
constexpr char null_mark = '!';

std::vector<std::string_view> lines_of(std::string_view text, bool among_ordinary) {
    std::vector<std::string_view> lines;
    while (!text.empty() && lines.size() + 9 < columns::block_rows) {
        for (unsigned i = 0; among_ordinary && i < 8; ++i)
            lines.push_back(i % 2 == 0 ? "2001:db8:1:2::3:4" : "192.0.2.1");
        const std::size_t end = text.find('\n');
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

void check_block(const columns::block& got, const columns::column& from,
                 std::span<const std::string_view> lines) {
    std::size_t ipv4 = 0, ipv6 = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto four = parse_address<ipv4_address>(lines[i]);
        const auto six = parse_address<ipv6_address>(lines[i]);
        const bool null = lines[i].starts_with(null_mark);
        require((got.states[i] == row_state::null) == null);
        require((got.states[i] == row_state::ipv4) == (!null && four.has_value()));
        require((got.states[i] == row_state::ipv6) == (!null && six.has_value()));
        require(explain(from, i).reason.empty() == (got.states[i] != row_state::bad));
        if (!null && four)
            require(got.ipv4.rows[ipv4] == i && got.ipv4.addresses[ipv4++] == *four);
        if (!null && six)
            require(got.ipv6.rows[ipv6] == i && got.ipv6.addresses[ipv6++] == *six);
    }
    require(got.ipv4.count == ipv4 && got.ipv6.count == ipv6);
}

void read_and_check(columns::column from, std::span<const std::string_view> lines, std::size_t bit_offset) {
    std::vector<std::uint8_t> bits((bit_offset + lines.size() + 7) / 8);
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (!lines[i].starts_with(null_mark))
            bits[(bit_offset + i) / 8] |= static_cast<std::uint8_t>(1 << (bit_offset + i) % 8);
    const exact<std::uint8_t> valid{bits};
    from.valid = {valid.all().data(), bit_offset};
    static columns::block out;
    for (const simd::isa isa : simd::available_isas()) {
        columns::block_reader(from, isa).read(0, lines.size(), out);
        check_block(out, from, lines);
    }
}

template <class Offset>
void check_offsets(std::span<const std::string_view> lines, std::size_t bit_offset) {
    std::string data;
    std::vector<Offset> offsets{0};
    for (const std::string_view line : lines) {
        data += line;
        offsets.push_back(static_cast<Offset>(data.size()));
    }
    const exact<char> bytes{data};
    const exact<Offset> ends{offsets};
    read_and_check({columns::offset_layout<Offset>{ends.all(), bytes.all()}, {}}, lines, bit_offset);
}

void check_views(std::span<const std::string_view> lines, std::size_t bit_offset) {
    std::string data;
    std::vector<columns::view> views;
    for (const std::string_view line : lines) {
        columns::view one{static_cast<std::int32_t>(line.size()), {}};
        const auto offset = static_cast<std::int32_t>(data.size());
        if (line.size() <= sizeof one.rest) {
            std::memcpy(one.rest, line.data(), line.size());
        } else {
            std::memcpy(one.rest + 8, &offset, sizeof offset);
            data += line;
        }
        views.push_back(one);
    }
    const exact<char> bytes{data};
    const exact<columns::view> all{views};
    const std::span<const char> buffers[] = {bytes.all()};
    read_and_check({columns::view_layout{all.all(), buffers}, {}}, lines, bit_offset);
}

// Makes offsets, views and their data of the same bytes.
template <class Element>
void read_anything(std::string_view bytes, auto make) {
    std::vector<Element> elements(std::min(bytes.size() / sizeof(Element), columns::block_rows));
    if (!elements.empty())
        std::memcpy(elements.data(), bytes.data(), elements.size() * sizeof(Element));
    const exact<Element> all{elements};
    const exact<char> data{bytes};
    const std::span<const char> buffers[] = {data.all(), data.all().first(data.size / 2)};
    for (const columns::content holds : {columns::content::text, columns::content::binary}) {
        const columns::column from{make(all.all(), data.all(), buffers, holds), {}};
        const std::size_t rows = row_count(from);
        static columns::block out;
        for (const simd::isa isa : simd::available_isas()) {
            columns::block_reader(from, isa).read(0, rows, out);
            require(out.ipv4.count + out.ipv6.count + out.bad == rows);
        }
        for (std::size_t i = 0; i < rows; ++i)
            require(explain(from, i).reason.empty() == (out.states[i] != row_state::bad));
    }
}

template <class Offset>
void read_any_offsets(std::string_view bytes) {
    read_anything<Offset>(bytes, [](auto offsets, auto data, auto, auto holds) {
        return columns::offset_layout<Offset>{offsets, data, holds};
    });
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 1)
        return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    const auto lines = lines_of(text, (data[0] & 8) != 0);
    const std::size_t bit_offset = data[0] >> 4;
    switch (data[0] & 7) {
    case 0:
    case 1:
        check_offsets<std::int32_t>(lines, bit_offset);
        break;
    case 2:
        check_offsets<std::int64_t>(lines, bit_offset);
        break;
    case 3:
    case 4:
        check_views(lines, bit_offset);
        break;
    case 5:
        read_any_offsets<std::int32_t>(text);
        break;
    case 6:
        read_any_offsets<std::int64_t>(text);
        break;
    default:
        read_anything<columns::view>(text, [](auto views, auto, const auto& buffers, auto holds) {
            return columns::view_layout{views, buffers, holds};
        });
    }
    return 0;
}
