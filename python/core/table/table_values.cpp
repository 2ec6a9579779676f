// Parses the argument `values=`: object, int, or names of columns, possibly with types.
#include <nanobind/stl/string.h>

#include <utility>

#include "python/core/raise.hpp"
#include "python/core/table/table_object.hpp"

namespace fingerpost::python {
namespace nb = nanobind;
namespace {

std::vector<std::string> column_names(nb::handle names) {
    constexpr const char* accepted = "values must be object, int, a sequence of column names, or a "
                                     "mapping of names to str, int, float or bool";
    if (PyUnicode_Check(names.ptr()) || (!PyDict_Check(names.ptr()) && !PySequence_Check(names.ptr())))
        raise(PyExc_TypeError, std::string(accepted) + "; not " + shown(names.ptr()));
    std::vector<std::string> columns;
    for (const nb::handle name : names) {
        const auto text = PyUnicode_Check(name.ptr()) ? text_of(name.ptr()) : std::nullopt;
        if (!text)
            raise(PyExc_TypeError, std::string(accepted) + "; not " + shown(name.ptr()));
        for (const std::string& other : columns)
            if (other == *text)
                raise(PyExc_ValueError, "two columns have the name " + shown(name.ptr()));
        columns.emplace_back(*text);
    }
    if (columns.empty())
        raise(PyExc_ValueError, "a table of rows needs at least one column");
    return columns;
}

} // namespace

std::vector<std::string> names_argument(nb::handle names, const char* argument) {
    std::vector<std::string> result;
    if (names.is_none())
        return result;
    if (PyUnicode_Check(names.ptr()))
        return {nb::cast<std::string>(names)};
    for (const nb::handle name : names) {
        if (!PyUnicode_Check(name.ptr()))
            raise(PyExc_TypeError,
                  std::string(argument) + " must be names of columns, not " + shown(name.ptr()));
        result.push_back(nb::cast<std::string>(name));
    }
    return result;
}

std::vector<io::typed_column> typed_columns(nb::handle types, const char* argument) {
    const std::string accepted =
        std::string(argument) + " must be a mapping of names to str, int, float or bool";
    if (!PyDict_Check(types.ptr()))
        raise(PyExc_TypeError, accepted + "; not " + shown(types.ptr()));
    std::vector<io::typed_column> result;
    for (const auto& [name, type] : nb::borrow<nb::dict>(types)) {
        const auto text = PyUnicode_Check(name.ptr()) ? text_of(name.ptr()) : std::nullopt;
        const auto known_type = type_of_class(type.ptr());
        if (!text || !known_type)
            raise(PyExc_TypeError, accepted + "; not " + shown(types.ptr()));
        result.push_back({std::string(*text), *known_type});
    }
    return result;
}

std::shared_ptr<shared_table> new_table(nb::handle values, const std::string& scheme) {
    std::unique_ptr<value_store> store;
    if (values.ptr() == reinterpret_cast<PyObject*>(&PyBaseObject_Type))
        store = std::make_unique<value_store>(value_kind::object, std::vector<std::string>());
    else if (values.ptr() == reinterpret_cast<PyObject*>(&PyLong_Type))
        store = std::make_unique<value_store>(value_kind::integer, std::vector<std::string>());
    else {
        std::vector<std::string> columns = column_names(values);
        std::vector<column_type> types;
        if (PyDict_Check(values.ptr()))
            for (const io::typed_column& column : typed_columns(values, "values"))
                types.push_back(column.type);
        store = std::make_unique<value_store>(value_kind::rows, std::move(columns), types);
    }
    return shared_table::make(std::move(store), scheme);
}

} // namespace fingerpost::python
