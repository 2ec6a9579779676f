// Wraps functions of CPython's own kind around those of nanobind. CPython takes the signature of a function
// from the start of its docstring, "name(arguments)\n--\n\n".
#include "python/core/signatures.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/stl/string.h>

#include "python/core/raise.hpp"

namespace fingerpost::python {
namespace nb = nanobind;
namespace {

struct shown_method {
    PyObject* function = nullptr; // nanobind's; owned
    PyObject* type = nullptr;     // borrowed: types of the module live as long as it does
    bool has_self = true;
    short_way quick = nullptr;
    std::string name{};
    std::string words{}; // signature and docstring
    PyMethodDef definition{};
};

// The most methods: each has a C function of its own, because these get no data but the object.
constexpr std::size_t most_methods = 64;

// CPython keeps pointers to them, so they live as long as the process.
std::array<shown_method, most_methods>& methods() {
    static auto* const all = new std::array<shown_method, most_methods>;
    return *all;
}
std::size_t& method_count() {
    static std::size_t count = 0;
    return count;
}

// Does what nanobind does with exceptions of its functions.
template <class F>
PyObject* with_exceptions_of_python(F&& body) noexcept {
    try {
        return body();
    } catch (nb::python_error& error) {
        error.restore();
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
    } catch (...) {
        PyErr_NoMemory();
    }
    return nullptr;
}

PyObject* call_with_self(const shown_method& of, PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                         PyObject* names) {
    const auto total = static_cast<std::size_t>(count + (names == nullptr ? 0 : PyTuple_Size(names)));
    std::array<PyObject*, 12> room;
    std::vector<PyObject*> more;
    PyObject** all = room.data();
    if (total + 1 > room.size()) {
        more.resize(total + 1);
        all = more.data();
    }
    all[0] = self;
    std::copy_n(arguments, total, all + 1);
    return PyObject_Vectorcall(of.function, all, static_cast<std::size_t>(count) + 1, names);
}

template <std::size_t Number>
PyObject* call_method(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
    const shown_method& of = methods()[Number];
    if (!of.has_self)
        return PyObject_Vectorcall(of.function, arguments, static_cast<std::size_t>(count), names);
    return with_exceptions_of_python([&]() -> PyObject* {
        if (of.quick != nullptr && names == nullptr)
            if (PyObject* const found = of.quick(self, arguments, count); found != nullptr)
                return found;
        return call_with_self(of, self, arguments, count, names);
    });
}

using c_function = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

template <std::size_t... Numbers>
constexpr std::array<c_function, sizeof...(Numbers)> c_functions(std::index_sequence<Numbers...>) {
    return {&call_method<Numbers>...};
}
constexpr auto all_c_functions = c_functions(std::make_index_sequence<most_methods>());

// A default that a signature can show: others cannot be written in the text of a program.
std::string shown_default(nb::handle value) {
    PyObject* const object = value.ptr();
    const bool is_plain = object == Py_None || PyBool_Check(object) || PyLong_Check(object) ||
                          PyUnicode_Check(object) || (PyTuple_Check(object) && PyTuple_Size(object) == 0);
    return is_plain ? shown(object) : "...";
}

// Turns "def f(self, rows: object | None, want: object | None = \0, **more) -> object" into the form without
// name and types: "(self, rows, want='value', **more)".
std::string plain_signature(std::string_view from, nb::handle defaults) {
    std::string made;
    int depth = 0;
    bool in_type = false;
    for (std::size_t at = from.find('('); at < from.size(); ++at) {
        const char c = from[at];
        depth += c == '(' || c == '[' ? 1 : 0;
        depth -= c == ')' || c == ']' ? 1 : 0;
        if (depth == 0)
            return made + ")";
        if (depth == 1 && c == ':')
            in_type = true;
        if (depth == 1 && (c == ',' || c == '='))
            in_type = false;
        if (in_type || (c == ' ' && !made.ends_with(',')))
            continue;
        if (c != '\\') {
            made += c;
            continue;
        }
        std::size_t number = 0;
        while (at + 1 < from.size() && from[at + 1] >= '0' && from[at + 1] <= '9')
            number = 10 * number + static_cast<std::size_t>(from[++at] - '0');
        made += shown_default(defaults[number]);
    }
    return made;
}

enum class method_kind { of_instance, of_class, of_nothing };

// In CPython's form, the bound first argument has a dollar before its name.
std::string words_of(const std::string& name, nb::handle function, method_kind kind) {
    const nb::object overloads = function.attr("__nb_signature__");
    const nb::object one = overloads[0];
    std::string signature = plain_signature(nb::cast<std::string>(one[0]), one[2]);
    if (kind != method_kind::of_nothing)
        signature.insert(1, "$");
    const nb::object doc = one[1];
    return name + signature + "\n--\n\n" + (doc.is_none() ? std::string() : nb::cast<std::string>(doc));
}

nb::object wrapped(nb::handle type, const std::string& name, nb::handle function, method_kind kind) {
    std::size_t& count = method_count();
    if (count == most_methods)
        raise(PyExc_SystemError, "most_methods is too small");
    shown_method& to = methods()[count];
    to.name = name;
    to.words = words_of(name, function, kind);
    to.type = type.ptr();
    to.has_self = kind != method_kind::of_nothing;
    to.function = Py_NewRef(function.ptr());
    auto* const code = reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(all_c_functions[count]));
    to.definition = {to.name.c_str(), code, METH_FASTCALL | METH_KEYWORDS, to.words.c_str()};
    auto* const class_object = reinterpret_cast<PyTypeObject*>(type.ptr());
    PyObject* made = nullptr;
    if (kind == method_kind::of_instance)
        made = PyDescr_NewMethod(class_object, &to.definition);
    else if (kind == method_kind::of_class)
        made = PyDescr_NewClassMethod(class_object, &to.definition);
    else
        made = PyCFunction_NewEx(&to.definition, type.ptr(), nullptr);
    if (made == nullptr)
        raise_current();
    ++count;
    nb::object result = nb::steal(made);
    if (kind == method_kind::of_nothing)
        result = nb::module_::import_("builtins").attr("staticmethod")(result);
    return result;
}

// The function and the kind of a method, from the attribute that nanobind has put into the class; empty for
// attributes that are no methods.
std::pair<nb::object, method_kind> method_of(nb::handle attribute) {
    const nb::module_ builtins = nb::module_::import_("builtins");
    const nb::object is_class_method =
        builtins.attr("isinstance")(attribute, nb::object(builtins.attr("classmethod")));
    const nb::object function =
        nb::cast<bool>(is_class_method) ? nb::object(attribute.attr("__func__")) : nb::borrow(attribute);
    if (!nb::hasattr(function, "__nb_signature__") || PyType_Check(function.ptr()))
        return {nb::object(), method_kind::of_instance};
    if (nb::cast<bool>(is_class_method))
        return {function, method_kind::of_class};
    const auto kind = nb::cast<std::string>(function.type().attr("__name__"));
    return {function, kind == "nb_method" ? method_kind::of_instance : method_kind::of_nothing};
}

} // namespace

void show_signatures(nb::handle type) {
    const nb::object attributes = type.attr("__dict__");
    nb::list names(attributes.attr("keys")());
    for (const nb::handle one : names) {
        const auto name = nb::cast<std::string>(one);
        if (name.starts_with("_") && name != "__init__")
            continue;
        const auto [function, kind] = method_of(attributes[one]);
        if (function.is_valid())
            nb::setattr(type, name.c_str(), wrapped(type, name, function, kind));
    }
}

void add_short_way(nb::handle type, const char* name, short_way way) {
    for (std::size_t i = 0; i < method_count(); ++i)
        if (shown_method& one = methods()[i]; one.type == type.ptr() && one.name == name)
            one.quick = way;
}

} // namespace fingerpost::python
