// Converts between DuckDB's texts and columns of the library.
#include "sql/duckdb_vectors.hpp"

#include <charconv>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "fingerpost/base/bits.hpp"
#include "fingerpost/base/narrow.hpp"
#include "io/format/parts/printable.hpp"

namespace fingerpost::sql {
namespace {

static_assert(sizeof(columns::view) == sizeof(duckdb_text));
static_assert(columns::view::longest_inline == duckdb_text::longest_inline);

bool is_same(const duckdb_text& a, const duckdb_text& b) noexcept {
    return std::memcmp(&a, &b, sizeof a) == 0 || view_of(a) == view_of(b);
}

// A short text, or one that refers to `text`.
duckdb_text text_at(std::string_view text) noexcept {
    duckdb_text result{static_cast<std::uint32_t>(text.size()), {}};
    if (text.size() <= duckdb_text::longest_inline) {
        if (!text.empty())
            std::memcpy(result.rest, text.data(), text.size());
        return result;
    }
    const char* const at = text.data();
    std::memcpy(result.rest, at, 4);
    std::memcpy(result.rest + 4, &at, sizeof at);
    return result;
}

// Almost all texts are ASCII.
bool is_ascii(std::string_view text) noexcept {
    constexpr std::uint64_t high_bits = 0x8080'8080'8080'8080;
    std::uint64_t seen = 0;
    while (text.size() >= sizeof seen) {
        seen |= load_little<std::uint64_t>(text.data());
        text.remove_prefix(sizeof seen);
    }
    for (const char c : text)
        seen |= static_cast<unsigned char>(c);
    return (seen & high_bits) == 0;
}

// Names of the types that are likely mistakes.
std::string name_of(duckdb_type type) {
    switch (type) {
    case duckdb_type::tinyint:
        return "TINYINT";
    case duckdb_type::smallint:
        return "SMALLINT";
    case duckdb_type::integer:
        return "INTEGER";
    case duckdb_type::bigint:
        return "BIGINT";
    default:
        return "a value of another type";
    }
}

} // namespace

std::size_t argument_vector::end_of_run(std::size_t first, std::size_t end) const noexcept {
    std::size_t row = first + 1;
    if (is_null(first)) {
        while (row < end && is_null(row))
            ++row;
        return row;
    }
    while (row < end && !is_null(row) && is_same(text(row), text(first)))
        ++row;
    return row;
}

address_vector::address_vector(duckdb_handle chunk, std::size_t column) : argument_vector(chunk, column) {
    const logical_type type(handle);
    type_ = api.get_type_id(type);
    const std::size_t rows = api.data_chunk_get_size(chunk);
    switch (type_) {
    case duckdb_type::varchar:
    case duckdb_type::uinteger:
    case duckdb_type::blob:
    case duckdb_type::null:
        return;
    case duckdb_type::enumeration:
        break;
    default:
        throw std::invalid_argument(
            "an address is VARCHAR (text; cast an INET with ip::VARCHAR), UINTEGER (an IPv4 address as a "
            "number, for example ip::UINTEGER) or BLOB (4 or 16 bytes, in network order), not " +
            name_of(type_));
    }
    switch (api.enum_internal_type(type)) {
    case duckdb_type::utinyint:
        read_enum<std::uint8_t>(type, rows);
        break;
    case duckdb_type::usmallint:
        read_enum<std::uint16_t>(type, rows);
        break;
    default:
        read_enum<std::uint32_t>(type, rows);
    }
}

// Makes texts of the indices. Reads only the entries of the dictionary that occur.
template <class Index>
void address_vector::read_enum(const logical_type& of, std::size_t rows) {
    const auto* const indices = static_cast<const Index*>(data);
    std::map<Index, duckdb_text> known;
    texts_.resize(rows);
    for (std::size_t row = 0; row < rows; ++row) {
        if (is_null(row))
            continue;
        const auto [entry, is_new] = known.try_emplace(indices[row]);
        if (is_new) {
            char* const text = api.enum_dictionary_value(of, indices[row]);
            entry->second = text_at(entries_.emplace_back(text));
            api.free(text);
        }
        texts_[row] = entry->second;
    }
    type_ = duckdb_type::varchar;
    data = texts_.data();
}

columns::column address_block::read(const address_vector& from, std::size_t first, std::size_t count) {
    const columns::validity valid{reinterpret_cast<const std::uint8_t*>(from.valid), first};
    if (from.type() == duckdb_type::uinteger)
        return {columns::number_layout{{static_cast<const std::uint32_t*>(from.data) + first, count}}, valid};
    return {texts(from, first, count), valid};
}

columns::view_layout address_block::texts(const address_vector& from, std::size_t first, std::size_t count) {
    const auto* const rows = static_cast<const duckdb_text*>(from.data) + first;
    const auto is_long = [&](std::size_t i) {
        return rows[i].size > duckdb_text::longest_inline && !from.is_null(first + i);
    };
    std::size_t size = 0;
    for (std::size_t i = 0; i < count; ++i)
        size += is_long(i) ? rows[i].size : 0;
    check_size(size, std::numeric_limits<std::int32_t>::max(), "bytes of addresses");
    if (long_texts_.size() < size)
        long_texts_.resize(size);
    if (views_.size() < count)
        views_.resize(count);
    // Short texts have the same form as in a view. Views of null rows are not read.
    std::memcpy(views_.data(), rows, count * sizeof(duckdb_text));
    std::size_t at = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (!is_long(i))
            continue;
        const std::string_view text = view_of(rows[i]);
        std::memcpy(long_texts_.data() + at, text.data(), text.size());
        const std::int32_t place[2] = {0, static_cast<std::int32_t>(at)};
        std::memcpy(views_[i].rest + 4, place, sizeof place);
        at += text.size();
    }
    buffer_ = {long_texts_.data(), at};
    return {{views_.data(), count},
            {&buffer_, 1},
            from.type() == duckdb_type::blob ? columns::content::binary : columns::content::text};
}

void result_vector::set_text(std::size_t row, std::string_view text, bool is_lasting) {
    if (!is_lasting && !is_ascii(text) && !io::is_utf8(text)) {
        const std::string valid = io::mended_utf8(text);
        api.vector_assign_string_element_len(handle_, row, valid.data(), valid.size());
    } else if (is_lasting || text.size() <= duckdb_text::longest_inline) {
        as<duckdb_text>()[row] = text_at(text);
    } else {
        api.vector_assign_string_element_len(handle_, row, text.data(), text.size());
    }
}

template <class T>
void result_vector::set_number(std::size_t row, std::string_view cell) {
    T& number = as<T>()[row];
    const auto [stop, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
    if (error != std::errc{} || stop != cell.data() + cell.size())
        throw std::overflow_error(std::string(cell) +
                                  " does not fit the SQL type of its column; use fingerpost_text");
}
template void result_vector::set_number<std::int64_t>(std::size_t, std::string_view);
template void result_vector::set_number<double>(std::size_t, std::string_view);

} // namespace fingerpost::sql
