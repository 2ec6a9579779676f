// The texts of exceptions, and the class fingerpost.Error.
#include "python/core/raise.hpp"

#include <cerrno>
#include <nanobind/stl/string.h>

namespace fingerpost::python {
namespace nb = nanobind;
namespace {

constexpr std::size_t most_shown = 80;

// Lives as long as the interpreter.
PyObject* error_class = nullptr;

} // namespace

nb::object shown_text(const std::string& words) {
    PyObject* const text =
        PyUnicode_DecodeUTF8(words.data(), static_cast<Py_ssize_t>(words.size()), "backslashreplace");
    if (text == nullptr)
        raise_current();
    return nb::steal(text);
}

void raise(PyObject* type, const std::string& words) {
    PyErr_SetObject(type, shown_text(words).ptr());
    raise_current();
}

void raise_errc(errc reason) {
    if (reason == errc::out_of_memory) {
        PyErr_NoMemory();
        raise_current();
    }
    raise(error_class, std::string(message(reason)));
}

void raise_input_error(const std::string& words) {
    raise(error_class, words);
}

void raise_image_error(const image_error& error, const std::string& path) {
    if (error.code == image_errc::out_of_memory)
        raise_errc(errc::out_of_memory);
    if (error.code == image_errc::system) {
        errno = error.system_error;
        PyErr_SetFromErrnoWithFilename(PyExc_OSError, path.c_str());
        raise_current();
    }
    raise(error_class, path + ": " + to_string(error));
}

std::string shown(PyObject* object) {
    const nb::object text = nb::steal(PyObject_Repr(object));
    if (!text.is_valid())
        raise_current();
    const nb::object bytes = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace"));
    if (!bytes.is_valid())
        raise_current();
    std::string found(PyBytes_AsString(bytes.ptr()), static_cast<std::size_t>(PyBytes_Size(bytes.ptr())));
    if (found.size() > most_shown) {
        std::size_t kept = most_shown - 3;
        // Does not cut within a character of several bytes.
        while (kept > 0 && (static_cast<unsigned char>(found[kept]) & 0xc0u) == 0x80u)
            --kept;
        found.resize(kept);
        found += "...";
    }
    return found;
}

std::string type_name(PyObject* object) {
    const nb::object name = nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(object))).attr("__qualname__");
    return nb::cast<std::string>(name);
}

void bind_errors(nb::module_& to) {
    error_class = PyErr_NewExceptionWithDoc(
        "fingerpost.Error",
        "What a file or a table cannot be used for, with the file, the line or the byte, and the reason.",
        PyExc_ValueError, nullptr);
    if (error_class == nullptr)
        raise_current();
    to.attr("Error") = nb::borrow(error_class);
}

} // namespace fingerpost::python
