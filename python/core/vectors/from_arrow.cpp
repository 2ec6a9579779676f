// Table.from_arrow: reads prefixes and values in place, without a Python object for each.
#include "python/core/vectors/from_arrow.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "fingerpost/columns/column_reader.hpp"
#include "fingerpost/rib/rib.hpp"
#include "io/format/parts/input_error.hpp"
#include "python/core/arrow/array_layout.hpp"
#include "python/core/arrow/import.hpp"
#include "python/core/keys.hpp"
#include "python/core/raise.hpp"
#include "python/core/table/table_object.hpp"

namespace fingerpost::python {
namespace nb = nanobind;
namespace {

using arrow::ArrowArray;
using arrow::ArrowSchema;

bool is_text(std::string_view format) noexcept {
    return format == "u" || format == "U" || format == "vu";
}
bool is_integer(std::string_view format) noexcept {
    return format.size() == 1 && std::string_view("cCsSiIlL").find(format.front()) != std::string_view::npos;
}

// The type of the rows; with a dictionary, that of its entries.
const ArrowSchema& type_of_rows(const ArrowSchema& type) noexcept {
    return type.dictionary != nullptr ? *type.dictionary : type;
}

constexpr std::int64_t null_entry = -1;

// The numbers of a chunk of integers: calls put(row, value) for those that are not null, with values of 64
// bits.
template <class T, class Put>
void for_integers(const ArrowArray& from, Put put) {
    const auto values = arrow::values_of<T>(from, 1);
    const columns::validity valid = arrow::validity_of(from);
    for (std::size_t row = 0; row < values.size(); ++row)
        if (arrow::has_value(valid, row))
            put(row, values[row]);
}

template <class Put>
void for_integers(char format, const ArrowArray& from, Put put) {
    switch (format) {
    case 'c':
        return for_integers<std::int8_t>(from, put);
    case 'C':
        return for_integers<std::uint8_t>(from, put);
    case 's':
        return for_integers<std::int16_t>(from, put);
    case 'S':
        return for_integers<std::uint16_t>(from, put);
    case 'i':
        return for_integers<std::int32_t>(from, put);
    case 'I':
        return for_integers<std::uint32_t>(from, put);
    case 'l':
        return for_integers<std::int64_t>(from, put);
    default:
        return for_integers<std::uint64_t>(from, put);
    }
}

// For each row of a chunk, the entry of its dictionary, or null_entry.
std::vector<std::int64_t> entries_of(const ArrowSchema& type, const ArrowArray& from) {
    if (from.dictionary == nullptr)
        throw std::invalid_argument("the Arrow array breaks its format: its dictionary is missing");
    std::vector<std::int64_t> entries(static_cast<std::size_t>(std::max<std::int64_t>(from.length, 0)),
                                      null_entry);
    const std::int64_t count = from.dictionary->length;
    for_integers(type.format[0], from, [&](std::size_t row, auto entry) {
        if (std::cmp_less(entry, 0) || std::cmp_greater_equal(entry, count))
            throw std::invalid_argument(
                "the Arrow array breaks its format: an index is outside of the dictionary");
        entries[row] = static_cast<std::int64_t>(entry);
    });
    return entries;
}

// The rows of a chunk of text, or of a dictionary of text.
class text_rows {
  public:
    text_rows(const ArrowSchema& type, const ArrowArray& from, arrow::layout_memory& memory)
        : encoded_(type.dictionary != nullptr) {
        if (encoded_)
            entries_ = entries_of(type, from);
        texts_ =
            encoded_ ? column_of(*type.dictionary, *from.dictionary, memory) : column_of(type, from, memory);
    }

    std::size_t size() const noexcept { return encoded_ ? entries_.size() : columns::row_count(texts_); }
    // Nothing for a null row.
    std::optional<std::string_view> operator[](std::size_t row) const noexcept {
        if (!encoded_)
            return columns::bytes_of(texts_, row);
        return entries_[row] == null_entry
                   ? std::nullopt
                   : columns::bytes_of(texts_, static_cast<std::size_t>(entries_[row]));
    }

  private:
    bool encoded_;
    std::vector<std::int64_t> entries_;
    columns::column texts_;
};

std::string in_row(std::size_t row) {
    return "row " + std::to_string(row) + ": ";
}

// A column of imported data; valid as long as that.
class one_column {
  public:
    one_column(const arrow::imported& from, const ArrowSchema& type, std::size_t field, bool in_struct)
        : from_(&from), type_(&type), field_(field), in_struct_(in_struct) {}

    const ArrowSchema& type() const noexcept { return *type_; }
    std::size_t rows() const noexcept {
        std::size_t sum = 0;
        for (const arrow::owned<ArrowArray>& chunk : from_->chunks)
            sum += static_cast<std::size_t>(std::max<std::int64_t>(chunk->length, 0));
        return sum;
    }
    // Calls read(array) for each chunk.
    template <class Read>
    void for_chunks(Read read) const {
        for (const arrow::owned<ArrowArray>& chunk : from_->chunks) {
            arrow::layout_memory memory;
            ArrowArray view{};
            if (in_struct_)
                child_of(*chunk, field_, view, memory);
            read(in_struct_ ? view : *chunk, memory);
        }
    }
    // Calls read(array) for each chunk of the struct that contains the column.
    template <class Read>
    void for_struct(Read read) const {
        for (const arrow::owned<ArrowArray>& chunk : from_->chunks)
            read(*chunk);
    }
    // Calls put(row, text) for each row of text, without text for a null row.
    template <class Put>
    void for_texts(Put put) const {
        std::size_t first = 0;
        for_chunks([&](const ArrowArray& chunk, arrow::layout_memory& memory) {
            const text_rows texts(*type_, chunk, memory);
            for (std::size_t row = 0; row < texts.size(); ++row)
                put(first + row, texts[row]);
            first += texts.size();
        });
    }

  private:
    const arrow::imported* from_;
    const ArrowSchema* type_;
    std::size_t field_;
    bool in_struct_;
};

// A column, or the fields of a struct.
struct value_columns {
    std::vector<std::string> names;
    std::vector<one_column> columns;
    bool integers = false;
};

[[noreturn]] void refuse(const char* what, const ArrowSchema& type, const char* accepted) {
    raise(PyExc_TypeError, std::string(what) + " cannot be of the Arrow type " + describe_format(type) +
                               "; accepted are " + accepted);
}

one_column networks_of(const arrow::imported& from) {
    const auto [type, in_struct] = arrow::single_column_of(*from.schema);
    if (type == nullptr || !is_text(type_of_rows(*type).format))
        refuse("networks", *from.schema, "utf8, large_utf8, utf8_view, or a dictionary of one of these");
    return {from, *type, 0, in_struct};
}

value_columns values_of(const arrow::imported& from) {
    constexpr const char* accepted =
        "integers, utf8, large_utf8, utf8_view, a dictionary of one of these, or a "
        "struct, record batch or table whose columns are text";
    const ArrowSchema& whole = *from.schema;
    const bool in_struct = std::string_view(whole.format) == "+s";
    value_columns result;
    for (std::int64_t i = 0; i < (in_struct ? whole.n_children : 1); ++i) {
        const ArrowSchema& type = in_struct ? *whole.children[i] : whole;
        const std::string_view format = type_of_rows(type).format;
        result.integers = is_integer(format);
        if (!is_text(format) && (in_struct || !result.integers))
            refuse("values", whole, accepted);
        const std::string name = type.name != nullptr ? type.name : "";
        result.names.push_back(name.empty() ? "value" : name);
        result.columns.emplace_back(from, type, static_cast<std::size_t>(i), in_struct);
    }
    if (result.columns.empty())
        refuse("values", whole, accepted);
    return result;
}

std::vector<any_prefix> read_networks(const one_column& from) {
    std::vector<any_prefix> networks;
    networks.reserve(from.rows());
    from.for_texts([&](std::size_t row, std::optional<std::string_view> text) {
        if (!text)
            throw std::invalid_argument(in_row(row) + "the network is null");
        const auto found = parse_any_prefix(*text);
        if (!found)
            throw std::invalid_argument(in_row(row) + io::quoted(*text) + ": " + found.error());
        networks.push_back(*found);
    });
    return networks;
}

// Next hops that are the numbers themselves; a null row has none.
std::vector<next_hop> read_numbers(const one_column& from) {
    std::vector<next_hop> hops(from.rows(), next_hop::none);
    std::size_t first = 0;
    const auto put = [&](std::size_t row, auto number) {
        if (std::cmp_less(number, 0) || std::cmp_greater_equal(number, next_hop::none.id))
            throw std::overflow_error(in_row(row) + std::to_string(number) +
                                      ": a value of this table is an int from 0 to 2**32 - 2");
        hops[row] = {static_cast<std::uint32_t>(number)};
    };
    const ArrowSchema& type = from.type();
    from.for_chunks([&](const ArrowArray& chunk, arrow::layout_memory&) {
        if (type.dictionary == nullptr) {
            for_integers(type.format[0], chunk, [&](std::size_t row, auto n) { put(first + row, n); });
        } else {
            const std::vector<std::int64_t> entries = entries_of(type, chunk);
            std::vector<std::optional<std::int64_t>> numbers(
                static_cast<std::size_t>(chunk.dictionary->length));
            for_integers(type.dictionary->format[0], *chunk.dictionary, [&](std::size_t row, auto n) {
                numbers[row] = std::cmp_greater(n, std::numeric_limits<std::int64_t>::max())
                                   ? std::numeric_limits<std::int64_t>::max()
                                   : static_cast<std::int64_t>(n);
            });
            for (std::size_t row = 0; row < entries.size(); ++row)
                if (entries[row] != null_entry && numbers[static_cast<std::size_t>(entries[row])])
                    put(first + row, *numbers[static_cast<std::size_t>(entries[row])]);
        }
        first += static_cast<std::size_t>(std::max<std::int64_t>(chunk.length, 0));
    });
    const auto null = std::find(hops.begin(), hops.end(), next_hop::none);
    if (null != hops.end())
        throw std::invalid_argument(in_row(static_cast<std::size_t>(null - hops.begin())) +
                                    "the value is null");
    return hops;
}

// Next hops that are numbers of rows. A null text counts as an empty one.
std::vector<next_hop> read_rows(const value_columns& from, value_rows& to) {
    std::vector<next_hop> hops(from.columns.front().rows());
    if (from.columns.size() == 1) {
        from.columns.front().for_texts([&](std::size_t row, std::optional<std::string_view> text) {
            hops[row] = to.intern(text.value_or(std::string_view()));
        });
        return hops;
    }
    // The chunks of a struct have all of its columns.
    std::size_t first = 0;
    from.columns.front().for_struct([&](const ArrowArray& chunk) {
        arrow::layout_memory memory;
        std::vector<ArrowArray> views(from.columns.size());
        std::vector<text_rows> texts;
        for (std::size_t i = 0; i < views.size(); ++i) {
            child_of(chunk, i, views[i], memory);
            texts.emplace_back(from.columns[i].type(), views[i], memory);
        }
        std::vector<std::string_view> cells(views.size());
        const auto rows = static_cast<std::size_t>(chunk.length);
        for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t i = 0; i < cells.size(); ++i)
                cells[i] = texts[i][row].value_or(std::string_view());
            hops[first + row] = to.intern(cells);
        }
        first += rows;
    });
    return hops;
}

// What has been read, without any Python object.
struct read_table {
    plan<ipv4_address> ipv4{{}, true};
    plan<ipv6_address> ipv6{{}, true};
    std::optional<value_rows> rows;
};

// When prefixes are equal the last one stays.
template <class A>
void order(std::vector<route<A>>& routes) {
    if (!put_in_order(routes))
        throw std::invalid_argument("a route that no table can have");
}

read_table read(const one_column& networks, const value_columns& values) {
    read_table result;
    const std::vector<any_prefix> where = read_networks(networks);
    const std::size_t count = values.columns.front().rows();
    if (count != where.size())
        throw std::invalid_argument("there are " + std::to_string(where.size()) + " networks and " +
                                    std::to_string(count) + " values");
    if (!values.integers)
        result.rows.emplace(views(values.names));
    const std::vector<next_hop> hops =
        values.integers ? read_numbers(values.columns.front()) : read_rows(values, *result.rows);
    for (std::size_t row = 0; row < where.size(); ++row) {
        if (const auto* const four = std::get_if<ipv4_prefix>(&where[row]))
            result.ipv4.routes.push_back({*four, hops[row]});
        else
            result.ipv6.routes.push_back({std::get<ipv6_prefix>(where[row]), hops[row]});
    }
    order(result.ipv4.routes);
    order(result.ipv6.routes);
    return result;
}

} // namespace

nb::object from_arrow(nb::handle type, nb::handle networks, nb::handle values, nb::handle scheme) {
    for (const nb::handle column : {networks, values})
        if (!arrow::is_arrow(column))
            raise(PyExc_TypeError, "from_arrow takes columns with the Arrow PyCapsule interface, not " +
                                       type_name(column.ptr()));
    const arrow::imported where = arrow::import_arrow(networks);
    const arrow::imported what = arrow::import_arrow(values);
    const one_column prefixes = networks_of(where);
    const value_columns columns = values_of(what);
    // The table is of the caller's class; its columns are checked like those of any table.
    const nb::object kind =
        columns.integers ? nb::borrow(reinterpret_cast<PyObject*>(&PyLong_Type)) : nb::cast(columns.names);
    const nb::object made = type(nb::arg("values") = kind, nb::arg("scheme") = scheme);
    std::optional<read_table> found;
    {
        const nb::gil_scoped_release free;
        found.emplace(read(prefixes, columns));
    }
    auto store = found->rows ? std::make_unique<value_store>(std::move(*found->rows))
                             : std::make_unique<value_store>(value_kind::integer, std::vector<std::string>());
    auto& table = nb::cast<table_object&>(made);
    const std::string name = scheme.is_none() ? std::string() : table.shared->scheme();
    table.shared = filled_table(std::move(store), name, std::move(found->ipv4), std::move(found->ipv6));
    return made;
}

} // namespace fingerpost::python
