// The argument `values=`: object, int, or names of columns, also with their types.
#include <utility>

#include "python/core/raise.hpp"
#include "python/core/table/table_object.hpp"

namespace fingerpost::python {
namespace nb = nanobind;
namespace {

std::vector<std::string> column_names(nb::handle names) {
    constexpr const char* accepted = "values is object, int, the names of columns as a sequence of str, or a "
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
        raise(PyExc_ValueError, "a table of rows has at least one column");
    return columns;
}

} // namespace

std::vector<io::typed_column> typed_columns(nb::handle types, const char* argument) {
    const std::string accepted = std::string(argument) + " is a mapping of names to str, int, float or bool";
    if (!PyDict_Check(types.ptr()))
        raise(PyExc_TypeError, accepted + "; not " + shown(types.ptr()));
    std::vector<io::typed_column> made;
    for (const auto& [name, type] : nb::borrow<nb::dict>(types)) {
        const auto text = PyUnicode_Check(name.ptr()) ? text_of(name.ptr()) : std::nullopt;
        const auto known = type_of_class(type.ptr());
        if (!text || !known)
            raise(PyExc_TypeError, accepted + "; not " + shown(types.ptr()));
        made.push_back({std::string(*text), *known});
    }
    return made;
}

std::shared_ptr<shared_table> new_table(nb::handle values, const std::string& scheme) {
    std::unique_ptr<value_store> made;
    if (values.ptr() == reinterpret_cast<PyObject*>(&PyBaseObject_Type))
        made = std::make_unique<value_store>(value_kind::object, std::vector<std::string>());
    else if (values.ptr() == reinterpret_cast<PyObject*>(&PyLong_Type))
        made = std::make_unique<value_store>(value_kind::integer, std::vector<std::string>());
    else {
        std::vector<std::string> columns = column_names(values);
        std::vector<column_type> types;
        if (PyDict_Check(values.ptr()))
            for (const io::typed_column& one : typed_columns(values, "values"))
                types.push_back(one.type);
        made = std::make_unique<value_store>(value_kind::rows, std::move(columns), types);
    }
    return shared_table::make(std::move(made), scheme);
}

} // namespace fingerpost::python
