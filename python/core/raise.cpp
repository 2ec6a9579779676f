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

nb::object shown_text(const std::string& text) {
    PyObject* const decoded =
        PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace");
    if (decoded == nullptr)
        raise_current();
    return nb::steal(decoded);
}

void raise(PyObject* type, const std::string& text) {
    PyErr_SetObject(type, shown_text(text).ptr());
    raise_current();
}

void raise_errc(errc reason) {
    if (reason == errc::out_of_memory) {
        PyErr_NoMemory();
        raise_current();
    }
    raise(error_class, std::string(message(reason)));
}

void raise_input_error(const std::string& text) {
    raise(error_class, text);
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
    std::string result(PyBytes_AsString(bytes.ptr()), static_cast<std::size_t>(PyBytes_Size(bytes.ptr())));
    if (result.size() > most_shown) {
        std::size_t size = most_shown - 3;
        // Do not cut within a UTF-8 character.
        while (size > 0 && (static_cast<unsigned char>(result[size]) & 0xc0u) == 0x80u)
            --size;
        result.resize(size);
        result += "...";
    }
    return result;
}

std::string type_name(PyObject* object) {
    const nb::object name = nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(object))).attr("__qualname__");
    return nb::cast<std::string>(name);
}

void bind_errors(nb::module_& to) {
    error_class = PyErr_NewExceptionWithDoc("fingerpost.Error",
                                            "Invalid or unusable data in a file or a table. The message has "
                                            "the file, the position and the reason.",
                                            PyExc_ValueError, nullptr);
    if (error_class == nullptr)
        raise_current();
    to.attr("Error") = nb::borrow(error_class);
}

} // namespace fingerpost::python
