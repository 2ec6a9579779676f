// Table.from_arrow: reads prefixes and values in place, without Python objects.
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

#include "fingerpost/rib/rib.hpp"
#include "io/format/parts/input_error.hpp"
#include "python/core/arrow/cell_texts.hpp"
#include "python/core/arrow/import.hpp"
#include "python/core/keys.hpp"
#include "python/core/raise.hpp"
#include "python/core/table/table_object.hpp"

namespace fingerpost::python {
namespace nb = nanobind;
namespace {

using arrow::ArrowArray;
using arrow::ArrowSchema;
using arrow::cell_texts;
using arrow::for_integers;
using arrow::in_row;
using arrow::is_integer;
using arrow::is_text;
using arrow::type_of_rows;

// A column of imported data. Valid as long as the data.
class input_column {
  public:
    input_column(const arrow::imported& from, const ArrowSchema& type, std::size_t field, bool in_struct)
        : from_(&from), type_(&type), field_(field), in_struct_(in_struct) {}

    const ArrowSchema& type() const noexcept { return *type_; }
    std::size_t rows() const noexcept {
        std::size_t sum = 0;
        for (const arrow::owned<ArrowArray>& chunk : from_->chunks)
            sum += static_cast<std::size_t>(std::max<std::int64_t>(chunk->length, 0));
        return sum;
    }
    // Calls read(array, memory) for each chunk.
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
    // Calls put(row, texts, at) for each row, whose text is texts[at].
    template <class Put>
    void for_texts(Put put) const {
        std::size_t first = 0;
        for_chunks([&](const ArrowArray& chunk, arrow::layout_memory& memory) {
            const cell_texts texts(*type_, chunk, memory);
            for (std::size_t row = 0; row < texts.size(); ++row)
                put(first + row, texts, row);
            first += texts.size();
        });
    }

  private:
    const arrow::imported* from_;
    const ArrowSchema* type_;
    std::size_t field_;
    bool in_struct_;
};

// Columns of values: one column, or the fields of a struct.
struct value_columns {
    std::vector<std::string> names;
    std::vector<input_column> columns;
    std::vector<column_type> types{}; // of `columns`
    bool integers = false;
};

[[noreturn]] void refuse(const char* what, const ArrowSchema& type, const char* accepted) {
    raise(PyExc_TypeError, std::string(what) + " cannot have Arrow type " + describe_format(type) +
                               "; accepted types: " + accepted);
}

input_column networks_of(const arrow::imported& from) {
    const auto [type, in_struct] = arrow::single_column_of(*from.schema);
    if (type == nullptr || !is_text(type_of_rows(*type).format))
        refuse("networks", *from.schema, "utf8, large_utf8, utf8_view, or a dictionary of one of these");
    return {from, *type, 0, in_struct};
}

value_columns values_of(const arrow::imported& from) {
    constexpr const char* accepted =
        "integers, utf8, large_utf8, utf8_view, a dictionary of one of these, float32, float64, bool, or a "
        "struct, record batch or table whose columns are text, integers, floats or bool";
    const ArrowSchema& whole = *from.schema;
    const bool in_struct = std::string_view(whole.format) == "+s";
    value_columns result;
    for (std::int64_t i = 0; i < (in_struct ? whole.n_children : 1); ++i) {
        const ArrowSchema& type = in_struct ? *whole.children[i] : whole;
        result.integers = !in_struct && is_integer(type_of_rows(type).format);
        const auto cells = arrow::type_of_cells(type);
        if (!cells && !result.integers)
            refuse("values", whole, accepted);
        result.types.push_back(cells.value_or(column_type::integer));
        const std::string name = type.name != nullptr ? type.name : "";
        result.names.push_back(name.empty() ? "value" : name);
        result.columns.emplace_back(from, type, static_cast<std::size_t>(i), in_struct);
    }
    if (result.columns.empty())
        refuse("values", whole, accepted);
    return result;
}

std::vector<any_prefix> read_networks(const input_column& from) {
    std::vector<any_prefix> networks;
    networks.reserve(from.rows());
    from.for_texts([&](std::size_t row, const cell_texts& texts, std::size_t at) {
        const std::optional<std::string_view> text = texts[at];
        if (!text)
            throw std::invalid_argument(in_row(row) + "the network is null");
        const auto network = parse_any_prefix(*text);
        if (!network)
            throw std::invalid_argument(in_row(row) + io::quoted(*text) + ": " + network.error());
        networks.push_back(*network);
    });
    return networks;
}

// Reads integers as next hops. Raises for null rows.
std::vector<next_hop> read_numbers(const input_column& from) {
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
            const std::vector<std::int64_t> entries = arrow::entries_of(type, chunk);
            std::vector<std::optional<std::int64_t>> numbers(
                static_cast<std::size_t>(chunk.dictionary->length));
            for_integers(type.dictionary->format[0], *chunk.dictionary, [&](std::size_t row, auto n) {
                numbers[row] = std::cmp_greater(n, std::numeric_limits<std::int64_t>::max())
                                   ? std::numeric_limits<std::int64_t>::max()
                                   : static_cast<std::int64_t>(n);
            });
            for (std::size_t row = 0; row < entries.size(); ++row)
                if (entries[row] != arrow::null_entry && numbers[static_cast<std::size_t>(entries[row])])
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

// Adds the rows to `to` and returns their numbers as next hops. A null is a missing cell.
std::vector<next_hop> read_rows(const value_columns& from, value_rows& to) {
    std::vector<next_hop> hops(from.columns.front().rows());
    if (from.columns.size() == 1) {
        from.columns.front().for_texts([&](std::size_t row, const cell_texts& texts, std::size_t at) {
            hops[row] = to.intern(texts.cell(at));
        });
        return hops;
    }
    // Each chunk of a struct has all columns.
    std::size_t first = 0;
    from.columns.front().for_struct([&](const ArrowArray& chunk) {
        arrow::layout_memory memory;
        std::vector<ArrowArray> views(from.columns.size());
        std::vector<cell_texts> texts;
        for (std::size_t i = 0; i < views.size(); ++i) {
            child_of(chunk, i, views[i], memory);
            texts.emplace_back(from.columns[i].type(), views[i], memory);
        }
        std::vector<std::string_view> cells(views.size());
        const auto rows = static_cast<std::size_t>(chunk.length);
        for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t i = 0; i < cells.size(); ++i)
                cells[i] = texts[i].cell(row);
            hops[first + row] = to.intern(cells);
        }
        first += rows;
    });
    return hops;
}

// The routes and rows of the table, without Python objects.
struct read_table {
    plan<ipv4_address> ipv4{{}, true};
    plan<ipv6_address> ipv6{{}, true};
    std::optional<value_rows> rows;
};

// Sorts the routes, and keeps the last one of equal prefixes.
template <class A>
void order(std::vector<route<A>>& routes) {
    if (!put_in_order(routes))
        throw std::invalid_argument("invalid route");
}

read_table read(const input_column& networks, const value_columns& values) {
    read_table result;
    const std::vector<any_prefix> where = read_networks(networks);
    const std::size_t count = values.columns.front().rows();
    if (count != where.size())
        throw std::invalid_argument("there are " + std::to_string(where.size()) + " networks and " +
                                    std::to_string(count) + " values");
    if (!values.integers)
        result.rows.emplace(views(values.names)).set_types(values.types);
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

nb::object from_arrow(nb::handle type, nb::handle networks, nb::handle values, nb::handle network,
                      nb::handle scheme) {
    if (values.is_none())
        return type(networks, nb::arg("network") = network, nb::arg("scheme") = scheme);
    if (!network.is_none())
        raise(PyExc_ValueError, "network= names a column of a frame, which is the only argument then");
    for (const nb::handle column : {networks, values})
        if (!arrow::is_arrow(column))
            raise(PyExc_TypeError, "from_arrow takes columns with the Arrow PyCapsule interface, not " +
                                       type_name(column.ptr()));
    const arrow::imported where = arrow::import_arrow(networks);
    const arrow::imported what = arrow::import_arrow(values);
    const input_column prefixes = networks_of(where);
    const value_columns columns = values_of(what);
    // Create a table of the caller's class, which checks the columns.
    const nb::object kind =
        columns.integers ? nb::borrow(reinterpret_cast<PyObject*>(&PyLong_Type)) : nb::cast(columns.names);
    const nb::object result = type(nb::arg("values") = kind, nb::arg("scheme") = scheme);
    std::optional<read_table> contents;
    {
        const nb::gil_scoped_release free;
        contents.emplace(read(prefixes, columns));
    }
    auto store = contents->rows
                     ? std::make_unique<value_store>(std::move(*contents->rows))
                     : std::make_unique<value_store>(value_kind::integer, std::vector<std::string>());
    auto& table = nb::cast<table_object&>(result);
    const std::string name = scheme.is_none() ? std::string() : table.shared->scheme();
    table.shared = filled_table(std::move(store), name, std::move(contents->ipv4), std::move(contents->ipv6));
    return result;
}

} // namespace fingerpost::python
