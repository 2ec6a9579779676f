// Checks values and converts them to next hops.
#include "python/core/values.hpp"

#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <utility>

#include "python/core/keys.hpp"
#include "python/core/raise.hpp"

namespace fingerpost::python {
namespace nb = nanobind;
namespace {

std::string joined(const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& name : names)
        list.append(list.empty() ? "" : ", ").append(name);
    return list;
}

std::vector<std::string> names_of(const value_rows& rows) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < rows.columns(); ++i)
        names.emplace_back(rows.name(i));
    return names;
}

std::string_view bytes_of(PyObject* cell) {
    if (cell == Py_None)
        return missing_cell;
    if (PyBytes_Check(cell))
        return {PyBytes_AsString(cell), static_cast<std::size_t>(PyBytes_Size(cell))};
    return text_of(cell).value_or(std::string_view());
}

std::string_view name_of_class(column_type type) {
    constexpr std::array<std::string_view, 4> names{"a str", "an int of 64 bits", "a finite float", "a bool"};
    return names[static_cast<std::size_t>(type)];
}

// The text of a number or bool for a column of this type. Invalid for other objects, infinities and NaN.
nb::object number_text(PyObject* value, column_type type) {
    if (PyBool_Check(value))
        return type == column_type::boolean
                   ? nb::steal(PyUnicode_FromString(value == Py_True ? "true" : "false"))
                   : nb::object();
    if (PyFloat_Check(value)) {
        const double number = PyFloat_AsDouble(value);
        if (type != column_type::number || !std::isfinite(number))
            return {};
        char* const text = PyOS_double_to_string(number, 'r', 0, Py_DTSF_ADD_DOT_0, nullptr);
        if (text == nullptr)
            raise_current();
        const nb::object decimal = nb::steal(PyUnicode_FromString(text));
        PyMem_Free(text);
        return decimal;
    }
    if (PyIndex_Check(value) == 0 || (type != column_type::integer && type != column_type::number))
        return {};
    const nb::object index = nb::steal(PyNumber_Index(value));
    nb::object text = nb::steal(index.is_valid() ? PyObject_Str(index.ptr()) : nullptr);
    if (!text.is_valid())
        raise_current();
    return text;
}

// A number is its own next hop.
staged_value stage_number(PyObject* value) {
    if (!PyIndex_Check(value))
        raise(PyExc_TypeError,
              "a value of this table is an int from 0 to 2**32 - 2, not " + type_name(value));
    const nb::object index = nb::steal(PyNumber_Index(value));
    if (!index.is_valid())
        raise_current();
    const unsigned long long number = PyLong_AsUnsignedLongLong(index.ptr());
    const bool failed = PyErr_Occurred() != nullptr;
    if (failed && !PyErr_ExceptionMatches(PyExc_OverflowError))
        raise_current();
    PyErr_Clear();
    if (failed || number >= next_hop::none.id)
        raise(PyExc_OverflowError,
              shown(index.ptr()) + ": a value of this table is an int from 0 to 2**32 - 2");
    return {{static_cast<std::uint32_t>(number)}, {}};
}

} // namespace

std::string_view name_of(value_kind kind) noexcept {
    switch (kind) {
    case value_kind::object:
        return "object";
    case value_kind::integer:
        return "int";
    case value_kind::rows:
        return "rows";
    }
    return "";
}

PyObject* new_cell(std::string_view bytes) {
    PyObject* const text =
        PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape");
    if (text == nullptr)
        raise_current();
    return text;
}

PyObject* class_of(column_type type) noexcept {
    PyTypeObject* const classes[] = {&PyUnicode_Type, &PyLong_Type, &PyFloat_Type, &PyBool_Type};
    return reinterpret_cast<PyObject*>(classes[static_cast<std::size_t>(type)]);
}

std::optional<column_type> type_of_class(PyObject* object) noexcept {
    for (const column_type type :
         {column_type::text, column_type::integer, column_type::number, column_type::boolean})
        if (object == class_of(type))
            return type;
    return std::nullopt;
}

PyObject* new_cell(std::string_view cell, column_type type) {
    if (is_missing(cell))
        return Py_NewRef(Py_None);
    if (type == column_type::text || !common_types::of(cell).has(type))
        return new_cell(cell);
    PyObject* result = nullptr;
    if (type == column_type::boolean) {
        result = PyBool_FromLong(cell == "true" ? 1 : 0);
    } else if (type == column_type::integer) {
        result = PyLong_FromString(std::string(cell).c_str(), nullptr, 10);
    } else {
        double number = 0;
        std::from_chars(cell.data(), cell.data() + cell.size(), number);
        result = PyFloat_FromDouble(number);
    }
    if (result == nullptr)
        raise_current();
    return result;
}

PyObject* new_row(const value_view& rows, next_hop row) {
    if (row.id >= rows.rows())
        raise_input_error("the image is damaged: a route leads to row " + std::to_string(row.id) + " of " +
                          std::to_string(rows.rows()));
    if (rows.columns() == 1)
        return new_cell(rows.cell(row, 0), rows.type(0));
    nb::dict result;
    for (std::size_t i = 0; i < rows.columns(); ++i)
        result[nb::steal(new_cell(rows.name(i)))] = nb::steal(new_cell(rows.cell(row, i), rows.type(i)));
    return result.release().ptr();
}

value_store::value_store(value_kind kind, std::vector<std::string> columns,
                         std::span<const column_type> types)
    : kind_(kind), columns_(std::move(columns)) {
    if (kind_ != value_kind::rows)
        return;
    rows_ = std::make_shared<value_rows>(views(columns_));
    if (!types.empty())
        rows_->set_types(types);
}

value_store::value_store(value_rows rows)
    : kind_(value_kind::rows), columns_(names_of(rows)),
      rows_(std::make_shared<value_rows>(std::move(rows))) {}

staged_value value_store::stage(PyObject* value) const {
    if (kind_ == value_kind::integer)
        return stage_number(value);
    if (kind_ == value_kind::rows)
        return stage_row(value);
    return {next_hop::none, nb::borrow(value)};
}

nb::object value_store::stage_cell(PyObject* value, std::size_t column) const {
    const column_type type = rows_->type(column);
    if (value == Py_None)
        return nb::borrow(value);
    nb::object text = number_text(value, type);
    if (!text.is_valid() && PyUnicode_Check(value))
        text = nb::borrow(value);
    const auto utf8 = text.is_valid() ? text_of(text.ptr()) : std::nullopt;
    if (!text.is_valid() || (type != column_type::text && !(utf8 && common_types::of(*utf8).has(type))))
        raise(PyExc_TypeError, "a cell of the column " + columns_[column] + " is " +
                                   std::string(name_of_class(type)) + " or None, not " + type_name(value) +
                                   (text.is_valid() ? " " + shown(value) : std::string()));
    if (utf8)
        return text;
    nb::object bytes = nb::steal(PyUnicode_AsEncodedString(value, "utf-8", "surrogateescape"));
    if (!bytes.is_valid())
        raise_current();
    return bytes;
}

staged_value value_store::stage_row(PyObject* value) const {
    const std::size_t count = columns_.size();
    const bool is_cell = PyUnicode_Check(value) != 0 || value == Py_None ||
                         (count == 1 && (PyIndex_Check(value) != 0 || PyFloat_Check(value) != 0) &&
                          rows_->type(0) != column_type::text);
    if (is_cell) {
        if (count != 1)
            raise(PyExc_TypeError, shown(value) + ": a value of this table has the columns " +
                                       joined(columns_) + ": pass a mapping or a sequence of all");
        return {next_hop::none, stage_cell(value, 0)};
    }
    nb::object cells = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(count)));
    if (!cells.is_valid())
        raise_current();
    // Sequences have no keys.
    const bool is_mapping = PyDict_Check(value) != 0 || PyObject_HasAttrString(value, "keys") != 0;
    if (!is_mapping && (PySequence_Check(value) == 0 || PyBytes_Check(value) != 0))
        raise(PyExc_TypeError, "a value of this table is " + std::string(count == 1 ? "a str, " : "") +
                                   "a mapping or a sequence with the columns " + joined(columns_) + ", not " +
                                   type_name(value));
    const Py_ssize_t size = PyObject_Size(value);
    if (size < 0)
        raise_current();
    if (static_cast<std::size_t>(size) != count)
        raise(PyExc_ValueError, shown(value) + ": a value of this table has the columns " + joined(columns_));
    for (std::size_t i = 0; i < count; ++i) {
        nb::object cell;
        if (is_mapping) {
            const nb::object name = nb::steal(new_text(columns_[i]));
            cell = nb::steal(PyObject_GetItem(value, name.ptr()));
            if (!cell.is_valid() && PyErr_ExceptionMatches(PyExc_KeyError)) {
                PyErr_Clear();
                raise(PyExc_ValueError,
                      shown(value) + ": no key " + columns_[i] + "; the columns are " + joined(columns_));
            }
        } else {
            cell = nb::steal(PySequence_GetItem(value, static_cast<Py_ssize_t>(i)));
        }
        if (!cell.is_valid())
            raise_current();
        PyTuple_SetItem(cells.ptr(), static_cast<Py_ssize_t>(i), stage_cell(cell.ptr(), i).release().ptr());
    }
    return {next_hop::none, std::move(cells)};
}

next_hop value_store::intern_row(PyObject* staged) {
    // Another thread may be reading these rows without the GIL.
    if (rows_.use_count() > 1)
        rows_ = std::make_shared<value_rows>(*rows_);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (!PyTuple_Check(staged))
        return rows_->intern(bytes_of(staged));
    std::vector<std::string_view> cells(columns_.size());
    for (std::size_t i = 0; i < cells.size(); ++i)
        cells[i] = bytes_of(PyTuple_GetItem(staged, static_cast<Py_ssize_t>(i)));
    return rows_->intern(cells);
}

next_hop value_store::use(const staged_value& value) {
    if (kind_ == value_kind::integer)
        return value.number;
    if (kind_ == value_kind::rows)
        return intern_row(value.object.ptr());
    return objects_.use(value.object.ptr());
}

PyObject* value_store::value_of(next_hop hop) const {
    if (kind_ == value_kind::rows)
        return new_row(rows_->view(), hop);
    PyObject* const result =
        kind_ == value_kind::integer ? PyLong_FromUnsignedLong(hop.id) : Py_NewRef(objects_[hop]);
    if (result == nullptr)
        raise_current();
    return result;
}

std::size_t value_store::size() const noexcept {
    return kind_ == value_kind::rows ? rows_->size() : kind_ == value_kind::object ? objects_.used() : 0;
}

std::size_t value_store::memory_bytes() const noexcept {
    if (kind_ != value_kind::rows)
        return objects_.memory_bytes();
    const value_view view = rows_->view();
    return view.cells().size_bytes() + view.ends().size_bytes() + view.bytes().size() +
           rows_->index().memory_bytes() + rows_->texts().index().memory_bytes();
}

} // namespace fingerpost::python
