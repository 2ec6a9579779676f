// Table.from_arrow: routes out of columns, by way of the same objects that a caller would give one by one.
#include "python/core/vectors/from_arrow.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "fingerpost/columns/reader.hpp"
#include "python/core/arrow/import.hpp"
#include "python/core/arrow/layout.hpp"
#include "python/core/keys.hpp"
#include "python/core/raise.hpp"

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

// The type of the rows: that of the entries where there is a dictionary.
const ArrowSchema& type_of_rows(const ArrowSchema& type) noexcept {
    return type.dictionary != nullptr ? *type.dictionary : type;
}

template <class T>
void add_integers(const ArrowArray& from, nb::list& to) {
    const auto values = arrow::values_of<T>(from, 1);
    const columns::validity valid = arrow::validity_of(from);
    for (std::size_t row = 0; row < values.size(); ++row)
        to.append(arrow::has_value(valid, row) ? nb::object(nb::int_(values[row])) : nb::object(nb::none()));
}

void add_integers(char format, const ArrowArray& from, nb::list& to) {
    switch (format) {
    case 'c':
        return add_integers<std::int8_t>(from, to);
    case 'C':
        return add_integers<std::uint8_t>(from, to);
    case 's':
        return add_integers<std::int16_t>(from, to);
    case 'S':
        return add_integers<std::uint16_t>(from, to);
    case 'i':
        return add_integers<std::int32_t>(from, to);
    case 'I':
        return add_integers<std::uint32_t>(from, to);
    case 'l':
        return add_integers<std::int64_t>(from, to);
    default:
        return add_integers<std::uint64_t>(from, to);
    }
}

// The rows of text or integers as objects, None where they are null.
void add_rows(const ArrowSchema& type, const ArrowArray& from, nb::list& to) {
    arrow::layout_memory memory;
    if (type.dictionary != nullptr) {
        nb::list entries, picks;
        if (from.dictionary == nullptr)
            throw std::invalid_argument("the Arrow array breaks its format: its dictionary is missing");
        add_rows(*type.dictionary, *from.dictionary, entries);
        add_integers(type.format[0], from, picks);
        for (const nb::handle pick : picks) {
            const std::size_t entry = pick.is_none() ? 0 : nb::cast<std::size_t>(pick);
            if (!pick.is_none() && entry >= entries.size())
                throw std::invalid_argument(
                    "the Arrow array breaks its format: an index is outside of the dictionary");
            to.append(pick.is_none() ? nb::object(nb::none()) : nb::object(entries[entry]));
        }
        return;
    }
    if (is_integer(type.format))
        return add_integers(type.format[0], from, to);
    const columns::column texts = column_of(type, from, memory);
    for (std::size_t row = 0; row < columns::row_count(texts); ++row) {
        const auto text = columns::bytes_of(texts, row);
        to.append(text ? nb::steal(new_text(*text)) : nb::object(nb::none()));
    }
}

// A column, or the fields of a struct, each as a list.
struct read_columns {
    std::vector<std::string> names;
    std::vector<nb::list> lists;
    bool integers = false;
};

[[noreturn]] void refuse(const char* what, const ArrowSchema& type, const char* accepted) {
    raise(PyExc_TypeError, std::string(what) + " cannot be of the Arrow type " + describe_format(type) +
                               "; accepted are " + accepted);
}

nb::list read_column(const arrow::imported& from, const ArrowSchema& type, std::size_t field,
                     bool in_struct) {
    nb::list result;
    for (const arrow::owned<ArrowArray>& chunk : from.chunks) {
        arrow::layout_memory memory;
        ArrowArray view{};
        if (in_struct)
            child_of(*chunk, field, view, memory);
        add_rows(type, in_struct ? view : *chunk, result);
    }
    return result;
}

nb::list read_networks(nb::handle column) {
    const arrow::imported from = arrow::import_arrow(column);
    const auto [type, in_struct] = arrow::single_column_of(*from.schema);
    if (type == nullptr || !is_text(type_of_rows(*type).format))
        refuse("networks", *from.schema, "utf8, large_utf8, utf8_view, or a dictionary of one of these");
    return read_column(from, *type, 0, in_struct);
}

read_columns read_values(nb::handle column) {
    constexpr const char* accepted =
        "integers, utf8, large_utf8, utf8_view, a dictionary of one of these, or a "
        "struct, record batch or table whose columns are text";
    const arrow::imported from = arrow::import_arrow(column);
    const ArrowSchema& whole = *from.schema;
    const bool in_struct = std::string_view(whole.format) == "+s";
    read_columns result;
    for (std::int64_t i = 0; i < (in_struct ? whole.n_children : 1); ++i) {
        const ArrowSchema& type = in_struct ? *whole.children[i] : whole;
        const std::string_view format = type_of_rows(type).format;
        result.integers = is_integer(format);
        if (!is_text(format) && (in_struct || !result.integers))
            refuse("values", whole, accepted);
        const std::string name = type.name != nullptr ? type.name : "";
        result.names.push_back(name.empty() ? "value" : name);
        result.lists.push_back(read_column(from, type, static_cast<std::size_t>(i), in_struct));
    }
    if (result.lists.empty())
        refuse("values", whole, accepted);
    return result;
}

void check(const nb::list& column, std::size_t rows, const std::string& what, bool nullable) {
    if (column.size() != rows)
        raise(PyExc_ValueError, "there are " + std::to_string(rows) + " networks and " +
                                    std::to_string(column.size()) + " values");
    for (std::size_t row = 0; row < rows && !nullable; ++row)
        if (column[row].is_none())
            raise(PyExc_ValueError, "row " + std::to_string(row) + ": " + what + " is null");
}

// A null text is an empty one.
nb::object value_of(const read_columns& values, std::size_t row) {
    if (values.integers)
        return values.lists.front()[row];
    nb::list cells;
    for (const nb::list& column : values.lists)
        cells.append(column[row].is_none() ? nb::object(nb::str("")) : nb::object(column[row]));
    return cells.size() == 1 ? nb::object(cells[0]) : nb::object(nb::tuple(cells));
}

} // namespace

nb::object from_arrow(nb::handle type, nb::handle networks, nb::handle values, nb::handle scheme) {
    for (const nb::handle column : {networks, values})
        if (!arrow::is_arrow(column))
            raise(PyExc_TypeError, "from_arrow takes columns with the Arrow PyCapsule interface, not " +
                                       type_name(column.ptr()));
    const nb::list where = read_networks(networks);
    const read_columns read = read_values(values);
    check(where, where.size(), "the network", false);
    for (const nb::list& column : read.lists)
        check(column, where.size(), "the value", !read.integers);
    nb::list routes;
    for (std::size_t row = 0; row < where.size(); ++row)
        routes.append(nb::make_tuple(where[row], value_of(read, row)));
    const nb::object kind =
        read.integers ? nb::borrow(reinterpret_cast<PyObject*>(&PyLong_Type)) : nb::cast(read.names);
    return type(routes, nb::arg("values") = kind, nb::arg("scheme") = scheme);
}

} // namespace fingerpost::python
